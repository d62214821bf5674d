// What cannot be searched before a message is told in one line, and the message goes on without it.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fail, ok } from "../../base/result.ts";
import { emptyState } from "../../session/state.ts";
import { SessionIndex } from "../session/index.ts";
import { openWorkspace } from "../workspace.ts";
import { RecalledBlocks } from "./recalled.ts";

const ID = "0199a000-0000-7000-8000-000000000000";
const MESSAGE = { content: "Which database does the shop use today?" } as never;

/** A session in a new home whose searches are answered by these. */
async function stage(recall: Searcher | undefined) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "everlong-recalled-")));
  const before = { ...process.env };
  process.env = {
    HOME: base,
    EVERLONG_HOME: join(base, "home"),
    EVERLONG_RECALL_AUTO: "true",
    EVERLONG_RECALL_TIMEOUT_MS: "100",
  };
  const workspace = await openWorkspace({ cwd: base });
  process.env = before;
  if (!workspace.ok) throw new Error(workspace.error.what);
  const index = new SessionIndex(workspace.value, ID);
  onTestFinished(async () => {
    await index.close();
    rmSync(base, { recursive: true });
  });
  const state = { ...emptyState(), sessionId: ID };
  await index.update(state);
  const events: unknown[] = [];
  const main = { id: ID, state, publish: (type: string, data: object) => events.push({ type, ...data }) };
  const searched = { store: () => index.store(), recall: async () => recall };
  const services = { workspace: workspace.value, main, index: searched, model: { promptLimit: 100_000 } };
  return { blocks: new RecalledBlocks(services as never), events };
}

const SIGNAL = new AbortController().signal;
const soft = (code: string, message: string) => ({
  type: "soft_failure",
  part: "recall",
  code,
  message,
  sessionId: ID,
});
const LATE = soft("timeout", "The search took longer than 100 ms (recall.timeoutMs).");
type Searcher = { start(): Promise<boolean>; search(): Promise<unknown> };
const started = async (): Promise<boolean> => true;

describe("searches before a message", () => {
  it.each<[string, Searcher | undefined, object]>([
    ["is late", { start: started, search: () => new Promise<never>(() => undefined) }, LATE],
    ["says that it is late", { start: started, search: async () => ok({ results: [], skipped: ["all"] }) }, LATE],
    ["does not start in time", { start: async () => false, search: started }, LATE],
    [
      "fails",
      { start: started, search: async () => fail({ code: "index_damaged", message: "the index is damaged" }) },
      soft("index_damaged", "The search failed (the index is damaged)."),
    ],
    ["has no index", undefined, soft("store_unavailable", "The search failed (the index cannot be opened now).")],
    [
      "throws",
      { start: started, search: () => Promise.reject(new Error("no room")) },
      soft("failed", "The search failed (no room)."),
    ],
  ])("F19 a search that %s is told once, and the message goes on", async (_, recall, told) => {
    const { blocks, events } = await stage(recall);
    expect(await blocks.before(MESSAGE, SIGNAL)).toBeUndefined();
    expect(events).toEqual([told]);
  });

  it("F19 nothing is told when the search answers, nor when the person interrupts", async () => {
    const calm = await stage({ start: started, search: async () => ok({ results: [], skipped: [] }) });
    expect(await calm.blocks.before(MESSAGE, SIGNAL)).toBeUndefined();
    expect(calm.events).toEqual([]);
    const stopped = await stage({ start: started, search: () => new Promise<never>(() => undefined) });
    expect(await stopped.blocks.before(MESSAGE, AbortSignal.abort())).toBeUndefined();
    expect(stopped.events).toEqual([]);
  });
});
