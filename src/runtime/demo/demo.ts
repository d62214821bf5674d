// `everlong demo`: a believable week in a scratch home, made without a model, and served.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { useHome } from "../../settings/environment.ts";
import { openGateway, type RunningGateway } from "../gateway/gateway.ts";
import { withGraph } from "../graph/graph.ts";
import { storedSettings } from "../settings-access.ts";
import { withStore } from "../with-store.ts";
import { ageTraffic } from "./age.ts";
import { writeAgentSessions } from "./agent-sessions.ts";
import { writeBoard, writeFacts, writeInbox, writeMemories } from "./memories.ts";
import { runTraffic } from "./traffic.ts";
import { startDemoUpstream } from "./upstream.ts";

export type Demo = { gateway: RunningGateway; home: string /** Removes the scratch home. */; remove(): void };
type DemoOptions = { port: string; keep?: boolean };

/** A small window, so that a short week shows what a long one does. */
const WINDOW = "*: 20000";
/** A week in a few seconds: nobody waits for its searches, and none is to be late. */
const RECALL_MS = "10000";
const VENDORS = ["anthropic", "openai", "gemini"] as const;

export async function openDemo({ port }: DemoOptions): Promise<Result<Demo, Failure>> {
  const home = mkdtempSync(join(tmpdir(), "everlong-demo-"));
  useHome(home);
  const remove = (): void => rmSync(home, { recursive: true, force: true });
  const filled = await fill();
  const gateway = filled.ok ? await openGateway({ "gateway.port": port }) : filled;
  if (gateway.ok) return ok({ gateway: gateway.value, home, remove });
  remove();
  return gateway;
}

async function fill(): Promise<Result<void, Failure>> {
  const upstream = await startDemoUpstream();
  try {
    const ready = await set([
      ["proxy.windows", WINDOW],
      ["proxy.recall.timeoutMs", RECALL_MS],
      ...VENDORS.map((v) => [`proxy.upstreams.${v}.url`, upstream.url] as const),
    ]);
    if (!ready.ok) return ready;
    const gateway = await openGateway({ "gateway.port": "0" });
    if (!gateway.ok) return gateway;
    await runTraffic(gateway.value);
    await gateway.value.close();
  } finally {
    upstream.close();
  }
  const cleared = await set([
    ["proxy.windows", undefined],
    ["proxy.recall.timeoutMs", undefined],
    ...VENDORS.map((v) => [`proxy.upstreams.${v}.url`, undefined] as const),
  ]);
  if (!cleared.ok) return cleared;
  const now = Date.now();
  return withStore(async (db, workspace) => {
    const aged = await ageTraffic(db, now);
    if (!aged.ok) return aged;
    const sessions = await writeAgentSessions(workspace, db, now);
    if (!sessions.ok) return sessions;
    const latest = sessions.value.at(-1) ?? "";
    await writeMemories(workspace, db, now, latest);
    await writeInbox(workspace, latest, now);
    const board = await writeBoard(workspace, db, now);
    return board.ok ? withGraph(workspace, (graph) => writeFacts(graph, now)) : board;
  });
}

async function set(
  values: readonly (readonly [key: string, value: string | undefined])[],
): Promise<Result<void, Failure>> {
  for (const [key, value] of values) {
    const written = await storedSettings.set(key, value, {});
    if (!written.ok) return fail(written.error);
  }
  return ok(undefined);
}
