// M152 to M154: what memory tells as events: each with its fields, and never with any text of a fact, an item or an entry.
import { execFileSync } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Envelope } from "../../src/schema/event/envelope.ts";
import { gitInit, oneCall, scene, writeIn } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { type Finished, only, type Place, run } from "../tool/everlong.ts";
import { add as addCall, board, isRem, stepOf } from "./board-stage.ts";
import { add, allowMemory, pending } from "./hand-stage.ts";
import { oddServer } from "./service-fixture.ts";
import { addItem, cast, ended, forwarder, lines, streamed } from "./sidekick-scene.ts";

const FACT = "The quokka port of this service is 7411";
const SECRET = `ghp_${"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"}`;
const ms = expect.any(Number);
const OURS = /^(memory|board|consolidation|sidekick|inbox|secret)\.|^session\.memory_changed$/;

const told = async (place: Place, prompt: string, ...more: string[]): Promise<Finished> => {
  const done = await run(place, ["-p", prompt, "--output-format", "stream-json", ...more]);
  expect(done.code, done.stderr).toBe(0);
  return done;
};
const data = <T extends Envelope["type"]>({ events }: Finished, type: T) => only(events, type).map((e) => e.data);
const ours = ({ events }: Finished): string => JSON.stringify(events.filter(({ type }) => OURS.test(type)));

describe("M152 events of records", () => {
  const store = (more: object = {}) =>
    oneCall("store_memory", { subject: "ports", fact: FACT, citations: ["gone.ts"], reason: "asked often", ...more });
  const vote = oneCall("vote_memory", { fact: FACT, direction: "downvote", reason: "seen otherwise" });

  it("M152 M154 load, check, store, vote and redaction, with counts and codes only", async () => {
    const { place } = await scene([
      store({ reason: `it needs ${SECRET} to start` }),
      store(),
      vote,
      text("ok"),
      text("ok"),
    ]);
    gitInit(place);
    writeIn(place, "there.ts", "one\ntwo\n");
    await add(place, "The build needs Node 24", ["--cite", "there.ts:2", "--cite", "absent.ts"]);
    const done = await told(place, "go", "--allow-tool", "memory");
    const counts = { repository: 1, user: 0, total: 1 };
    expect(data(done, "memory.prompt_loaded")).toEqual([
      { strategy: "embedded", counts, shown: 1, tokens: ms, stale: 0, cached: false, durationMs: ms },
    ]);
    expect(data(done, "memory.verified")).toEqual([{ verified: 1, moved: 0, changed: 0, missing: 1 }]);
    const common = { scope: "repository", strategy: "embedded", similar: 0, durationMs: ms };
    expect(data(done, "memory.store")).toEqual([
      { outcome: "stored", origins: ["assistant"], redactions: 1, ...common },
      { outcome: "already_stored", origins: [], redactions: 0, ...common },
    ]);
    expect(data(done, "memory.vote")).toEqual([{ outcome: "voted", direction: "downvote", strategy: "embedded" }]);
    expect(data(done, "session.memory_changed")).toEqual([{}, {}]);
    expect(data(done, "secret.redacted")).toEqual([{ rule: expect.any(String), where: "memory", count: 1 }]);
    expect(ours(done)).not.toMatch(/quokka|Node 24|there\.ts|gone\.ts|asked often|seen otherwise|ghp_/);

    place.env = { ...place.env, EVERLONG_MEMORY_VERIFY: "off" };
    expect(data(await told(place, "again"), "memory.verified")).toEqual([]);
  });

  it("M152 what the user changes: the action and by whom; looking tells nothing", async () => {
    const { place } = await scene(() => text("ok"));
    gitInit(place);
    await allowMemory(place);
    const id = await add(place, FACT);
    const accepted = await pending(place, "Prefer short functions in every file");
    const rejected = await pending(place, "Prefer long names in every file");
    const actions: unknown[] = [];
    for (const command of [
      `edit ${id} --fact "The quokka port is 7412 today"`,
      `review --accept ${accepted}`,
      `review --reject ${rejected}`,
      `delete ${id} --yes`,
      "list",
    ]) {
      const done = await told(place, `/memory ${command}`);
      actions.push(...data(done, "memory.changed"));
      expect(ours(done)).not.toMatch(/quokka|Prefer/);
    }
    expect(actions).toEqual(["edit", "accept", "reject", "delete"].map((action) => ({ action, by: "user" })));
  });

  it("M152 a service: not to be had, skipped, with a definition that is not known, and its votes; a file that was written", async () => {
    const definition = (name: string, version: string, properties: object) => ({
      ...{ name, version, description: name, inputSchema: { type: "object", properties } },
    });
    const fields = { fact: {}, direction: {}, reason: {} };
    let answer: object = {};
    const service = await oddServer((req, res) => {
      if (Object.keys(answer).length === 0) return void res.writeHead(500).end();
      res.end(JSON.stringify(req.url?.includes("/prompt") ? answer : { ok: true }));
    });
    onTestFinished(() => service.end());
    const { place, server } = await scene(() => text("ok"));
    gitInit(place);
    execFileSync("git", ["remote", "add", "origin", "https://github.com/acme/widgets.git"], { cwd: place.folder });
    const plain = place.env;
    place.env = { ...plain, EVERLONG_MEMORY_URL: service.url, EVERLONG_MEMORY_TIMEOUT_MS: "5000" };
    expect(data(await told(place, "down"), "memory.prompt_unavailable")).toEqual([
      { strategy: "service", code: expect.any(String), durationMs: ms },
    ]);
    answer = {
      ...{ enabled: true, prompt: `- ${FACT}`, storeInstructions: "" },
      counts: { repository: 1, user: 0, total: 1, shown: 1 },
      tools: {
        store: definition("store_memory", "2.0.0", { subject: {}, fact: {}, citations: {}, reason: {} }),
        vote: definition("vote_memory", "1.0.0", fields),
      },
    };
    server.script(vote, text("ok"));
    const up = await told(place, "up", "--allow-tool", "memory");
    expect(data(up, "memory.definition_unsupported")).toEqual([{ name: "store_memory", version: "2.0.0" }]);
    expect(data(up, "memory.vote")).toMatchObject([{ direction: "downvote", strategy: "service" }]);
    expect(ours(up)).not.toContain("quokka");
    place.env = { ...plain, EVERLONG_MEMORY_URL: "https://memory.invalid" };
    expect(data(await told(place, "skipped"), "memory.skipped")).toEqual([{ reason: "untrusted_folder" }]);
    place.env = { ...plain, EVERLONG_MEMORY_STRATEGY: "jsonl" };
    server.script(store(), text("ok"));
    const written = await told(place, "file", "--allow-tool", "memory", "--trust-folder");
    expect(data(written, "memory.file_written")).toEqual([{ records: 1, merged: 1, optimised: false, unparsed: 0 }]);
    expect(ours(written)).not.toContain("quokka");
  });
});

describe("M153 events of the board and its consolidation", () => {
  it("M153 M154 configured, changed, gate, started, completed; none of it with an item's text", async () => {
    const { place } = await scene((request) => {
      if (!isRem(request)) return text("said");
      const made = [addCall("lesson", `the quokka needs ${SECRET}`), board("prune", { name: "absent" })];
      return stepOf(request) === 0 ? calls(made) : text("done");
    });
    gitInit(place);
    await addItem(place, "release-steps", "the quokka is released by a tag");
    const plain = await told(place, "hi");
    const configured = { repository: expect.stringMatching(/^local:/), branch: "main", items: 1, inherited: 0 };
    expect(data(plain, "board.configured")).toEqual([configured]);
    expect(data(plain, "consolidation.gate")).toEqual([]);
    place.env = { ...place.env, EVERLONG_DETACHED: "1" };
    const done = await told(place, "go", "--agent", "rem-agent");
    const changes = data(done, "board.changed");
    expect(changes).toEqual([
      { command: "add", outcome: "success", run: expect.stringMatching(/^run_/) },
      { command: "prune", outcome: "not_found", run: changes[0]?.run },
    ]);
    expect(data(done, "consolidation.gate")).toEqual([{ outcome: "detached_child" }]);
    expect(data(done, "consolidation.started")).toEqual([{ board: ms, turns: ms, checkpoint: ms, tokens: ms }]);
    expect(data(done, "consolidation.completed")).toEqual([
      { outcome: "completed", added: 1, pruned: 0, refused: 1, tokens: ms, durationMs: ms },
    ]);
    expect(data(done, "secret.redacted")).toEqual([{ rule: expect.any(String), where: "board", count: 1 }]);
    expect(ours(plain) + ours(done)).not.toMatch(/quokka|ghp_/);
  });
});

describe("M154 events of sidekicks and the inbox", () => {
  it("M154 skipped, started, ended; sent, notified, read; none of it with an entry's text", async () => {
    const content = lines(4000);
    const { side, sent } = forwarder("release-steps", content);
    const stage = await cast(async (_request, step) => {
      if (step > 1) return text("published");
      if (step === 1) return oneCall("read_inbox", {});
      await sent;
      await ended(stage.place);
      return oneCall("glob", { pattern: "*" });
    }, side);
    await addItem(stage.place, "release-steps", content);
    const done = await streamed(stage.place, "how do we publish a release of this project?");
    expect(done.code, done.stderr).toBe(0);
    expect(data(done, "sidekick.skipped")).toEqual([{ name: "github-context", reason: "setting" }]);
    const name = "subconscious-agent";
    const agentId = expect.stringMatching(/^sidekick-subconscious-agent-\d{13}$/);
    expect(data(done, "sidekick.started")).toEqual([{ name, agentId }]);
    expect(data(done, "sidekick.ended")).toEqual([
      { name, agentId, state: "sent", tokens: ms, sends: 1, durationMs: ms },
    ]);
    const [{ entryId } = { entryId: "" }] = data(done, "inbox.sent");
    expect(data(done, "inbox.sent")).toEqual([{ entryId, sender: name }]);
    expect(data(done, "inbox.notified")).toEqual([{ entryId, inline: false }]);
    expect(data(done, "inbox.read")).toEqual([{ entryId }]);
    expect(ours(done)).not.toContain("of the release");
  });
});
