// `everlong graph test` for this folder: an address is all it needs, as no text of a conversation is sent.
import type { Failure } from "../../base/failure.ts";
import { fail, ok } from "../../base/result.ts";
import { repositoryKey } from "../../host/git.ts";
import { groupId, workspaceKey } from "../../memory/graph/group.ts";
import { type CheckStep, GraphitiCheck } from "../../memory/graphiti/check.ts";
import { GraphitiClient } from "../../memory/graphiti/client.ts";
import { graphitiEndpoint } from "../../memory/graphiti/endpoint.ts";
import type { ResultPromise } from "../client/open.ts";
import { openWorkspace } from "../workspace.ts";
import { graphitiStateOf } from "./graphiti-gate.ts";

export type GraphitiTest = { endpoint?: string; smoke?: boolean; wait?: number };
type GraphitiTestOutcome = { endpoint: string; isGood: boolean; steps: CheckStep[] };

const WAIT_SECONDS = 5;

export async function testGraphiti({
  endpoint: address,
  smoke,
  wait = WAIT_SECONDS,
}: GraphitiTest): ResultPromise<GraphitiTestOutcome> {
  const opened = await openWorkspace();
  if (!opened.ok) return opened;
  const workspace = opened.value;
  const { values } = workspace.settings;
  const endpoint = graphitiEndpoint(address ?? values["memory.graphiti.endpoint"]);
  if (!endpoint.ok) return fail(noServer(`The address of the Graphiti server ${endpoint.error}.`));
  if (endpoint.value?.type !== "server") return fail(noServer("No Graphiti server is set."));
  const { url } = endpoint.value;
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once("SIGINT", interrupt);
  try {
    const client = new GraphitiClient({
      endpoint: url,
      settings: () => ({
        // The token belongs to the server of the settings alone.
        token: address === undefined ? values["memory.graphiti.token"] : undefined,
        timeoutMs: values["memory.graphiti.timeoutMs"],
      }),
      mayConnect: async () => true,
    });
    const check = new GraphitiCheck(client);
    check.add("endpoint", { outcome: "ok", detail: url });
    check.add("state", { outcome: "ok", detail: await graphitiStateOf(workspace) });
    const key = workspaceKey(workspace.redact(repositoryKey(workspace.context.cwd)));
    // A key with a path of this machine does not leave it.
    const sample = key.startsWith("file:") ? "everlong_session:test" : key;
    const scope = sample === key ? "workspace" : "session";
    await check.basic({ scope, key: sample, ours: groupId(scope, sample, "hashed") }, stop.signal);
    if (smoke && check.isGood) await check.smoke(wait * 1000, stop.signal);
    return ok({ endpoint: url, isGood: check.isGood, steps: check.steps });
  } finally {
    process.off("SIGINT", interrupt);
  }
}

const noServer = (what: string): Failure => ({
  code: "no_endpoint",
  what,
  data: "Nothing was sent.",
  next: "Use --endpoint URL, or everlong settings set memory.graphiti.endpoint URL.",
  exit: 2,
});
