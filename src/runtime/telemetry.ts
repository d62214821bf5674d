// Telemetry: off unless the user names a file, and then lines in that file. Nothing is sent anywhere.
import { appendFileSync } from "node:fs";
import { errorCode } from "../base/failure.ts";
import { compactionTelemetry } from "../context/compact/telemetry.ts";
import type { Envelope } from "../schema/event/envelope.ts";
import { recordFailure } from "./failure-log.ts";
import type { Workspace } from "./workspace.ts";

/** Must not throw: a file that cannot be written never stops a turn. */
export function recordTelemetry({ settings, paths }: Pick<Workspace, "settings" | "paths">, event: Envelope): void {
  const file = settings.values["telemetry.file"];
  const record = file === undefined ? undefined : compactionTelemetry(event);
  if (file === undefined || !record) return;
  try {
    appendFileSync(file, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  } catch (error) {
    recordFailure(paths.logs, { part: "telemetry", code: errorCode(error) ?? "failed" });
  }
}
