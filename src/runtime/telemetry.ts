// Telemetry: off unless the user names a file, and then lines in that file. Nothing is sent anywhere.
import { appendFileSync } from "node:fs";
import { errorCode } from "../base/failure.ts";
import { compactionTelemetry } from "../context/compact/telemetry.ts";
import type { Envelope } from "../schema/event/envelope.ts";
import { recordFailure } from "./program-log.ts";
import type { Workspace } from "./workspace.ts";

/** Must not throw: a file that cannot be written never stops a turn. */
export function recordTelemetry(workspace: Pick<Workspace, "settings" | "paths" | "redact">, event: Envelope): void {
  const file = workspace.settings.values["telemetry.file"];
  const record = file === undefined ? undefined : compactionTelemetry(event);
  if (file === undefined || !record) return;
  try {
    appendFileSync(file, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  } catch (error) {
    recordFailure(workspace, { part: "telemetry", code: errorCode(error) ?? "failed" });
  }
}
