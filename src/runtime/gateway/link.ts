// A fresh one-time link from the gateway that runs.
import type { Failure } from "../../base/failure.ts";
import { isRecord, parseJson } from "../../base/json.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { ask } from "../../server/ask.ts";
import { findGateway } from "../../server/find.ts";
import { openWorkspace } from "../workspace.ts";

const LIMIT_MS = 5000;

export async function freshLink(): Promise<Result<string, Failure>> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const gateway = await findGateway(workspace.value.paths.home);
  if (!gateway) return fail(noGateway);
  const headers = { authorization: `Bearer ${gateway.token}` };
  const reply = await ask(gateway.address, { method: "POST", path: "/api/links", headers }, LIMIT_MS);
  const body = reply.ok ? parseJson(reply.value.text) : undefined;
  const link = body?.ok && isRecord(body.value) ? body.value["link"] : undefined;
  return typeof link === "string" ? ok(link) : fail(noGateway);
}

const noGateway: Failure = {
  code: "no_gateway",
  what: "No gateway of this home is running.",
  data: "Nothing was started.",
  next: "Start one with `everlong serve`.",
  exit: 1,
};
