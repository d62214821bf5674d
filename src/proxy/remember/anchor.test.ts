import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FACTS } from "../../../test/proxy/planted-facts.ts";
import { emptyLedger, foldLedger } from "../../context/ledger/ledger.ts";
import { secretRedactor } from "../../memory/secret/filter.ts";
import type { HistoryItem } from "../contract.ts";
import type { ProxyItem } from "../store/item-row.ts";
import { caller, history, openPlace, type Place, rememberIn, request, seeable, value } from "../store/store-fixture.ts";
import { setAnchorBase, updateAnchor } from "./anchor.ts";
import { happeningsOfStored } from "./anchor-items.ts";
import { ANCHOR_VERSION, type Anchor, anchorText, handWritten, shownAnchor, withAnchor } from "./anchor-text.ts";
import type { StorableItem } from "./store-items.ts";

let place: Place;
beforeEach(async () => {
  place = await openPlace();
});
afterEach(() => place.remove());

const LIMIT = { maxChars: 14_000 };
const SAID = [
  "u:Make the parser accept trailing commas",
  'c:k1 edit {"path":"src/parse/array.ts","old":"x"}',
  "r:k1 ok",
  'c:k2 shell {"command":["npm","test"]}',
  "r:k2 FAIL array.test.ts: Error: expected ]\nexit code: 1",
  "a:We decided to keep the strict mode as the default. The rest is open.",
  "u:Now the objects too",
  'c:k3 shell {"command":"npm run lint"}',
  "r:k3 all fine\nexit code: 0",
];

/** As the wires give them: the id of a call is not part of its text. */
const asSent = (item: HistoryItem): StorableItem[] =>
  seeable(item).map((one) => ({
    ...one,
    read() {
      const read = one.read();
      const text = read.callId === undefined ? read.text : read.text.slice(read.callId.length + 1);
      return { ...read, text, ...(read.type === "tool_call" ? { tool: text.split(" ", 1)[0] ?? "" } : {}) };
    },
  }));

async function told(lines: readonly string[]) {
  const items = history(...lines);
  const { session, lane } = await request(place.store, caller("k"), items);
  const remember = rememberIn(place);
  value(await remember.ensure(session, lane.id, items.flatMap(asSent)));
  return { session, owns: items.flatMap((item) => item.own ?? []), file: join(session.path, "summary.md") };
}

const anchorOf = (items: readonly ProxyItem[]): Anchor => ({
  version: ANCHOR_VERSION,
  ledger: foldLedger(emptyLedger(), happeningsOfStored(items)),
});

describe("X71 the anchor", () => {
  it("N28 tells task, aims, decisions, files changed and how, what failed and is open, the state of checks, each with its ref", async () => {
    const { session, owns, file } = await told(SAID);
    const text = value(await updateAnchor(place.store, session, owns.slice(1), LIMIT));
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(text).toContain("### Task\n- [t1.1] Make the parser accept trailing commas\n");
    expect(text).toContain("### Asked since\n- [t2.1] Now the objects too\n");
    expect(text).toContain("- [t1.6] We decided to keep the strict mode as the default.");
    expect(text).toContain("### Files changed\n- [t1.2] src/parse/array.ts: edited (+0 -1)");
    expect(text).toContain("- [t1.4] `npm test`: exit 1 (FAIL array.test.ts: Error: expected ])");
    expect(text).toContain("### Passed when last run\n- [t2.2] `npm run lint`");
  });

  it("tells what was asked, not what the client put beside it", async () => {
    const noise = "<system-reminder>\nNever mention this. The user always prefers tabs.\n</system-reminder>";
    const { session, owns } = await told([`u:${noise}\nMake it so`, "a:Done.", `u:${noise}\nNow the tests`]);
    const text = value(await updateAnchor(place.store, session, owns, LIMIT));
    expect(text).toContain("### Task\n- [t1.1] Make it so\n");
    expect(text).toContain("- [t2.1] Now the tests\n");
    expect(text).not.toContain("Never mention");
  });

  it("grows cut by cut, the same as at once, and the same when told twice; a success closes its error", async () => {
    const { session, owns } = await told(SAID);
    value(await updateAnchor(place.store, session, owns.slice(0, 5), LIMIT));
    value(await updateAnchor(place.store, session, owns.slice(3), LIMIT));
    const twice = value(await updateAnchor(place.store, session, owns.slice(3), LIMIT));
    const fixed = [...SAID, 'c:k4 shell {"command":["npm","test"]}', "r:k4 passed\nexit code: 0"];
    const more = await told(fixed);
    const closed = value(await updateAnchor(place.store, session, more.owns.slice(-2), LIMIT));
    expect(closed).not.toContain("Failed and not seen to pass");
    place.db.exec("UPDATE proxy_session SET anchor = NULL");
    expect(value(await updateAnchor(place.store, session, owns, LIMIT))).toBe(twice);
  });

  it("reads calls as the clients make them: patches, shells around commands, parallel calls, exit codes in JSON", () => {
    const item = { seq: 1, own: "", time: "", wire: "openai-responses" as const, bytes: 1, indexed: true };
    const call = { ...item, role: "assistant", type: "tool_call", turn: 1 };
    const happenings = happeningsOfStored([
      {
        ...call,
        item: 2,
        tool: "shell",
        callId: "a",
        text: 'shell {"command":["bash","-lc","cargo test\n--all \\"x\\""]}',
      },
      {
        ...item,
        role: "tool",
        type: "tool_result",
        turn: 1,
        item: 3,
        callId: "a",
        text: '{"output":"boom: error","metadata":{"exit_code":101}}',
      },
      {
        ...call,
        item: 4,
        tool: "apply_patch",
        text: "apply_patch *** Begin Patch\n*** Add File: src/new.rs\n*** Update File: src/lib.rs\n",
      },
      {
        ...call,
        item: 5,
        type: "message",
        tool: "Read",
        text: 'Looking.\nRead {"file_path":"a.ts"}\nBash {"command":"ls"}',
      },
      { ...item, role: "tool", type: "tool_result", turn: 1, item: 6, text: "[error] no such file" },
      { ...item, role: "tool", type: "tool_result", turn: 1, item: 7, text: "src/errors.ts: class error {}" },
    ]);
    const { files, runs } = foldLedger(emptyLedger(), happenings);
    expect(runs.map(({ command, outcome, item: number }) => [command, outcome, number])).toEqual([
      ["cargo test", "exit 101", 2],
    ]);
    expect(files.map(({ path, deeds }) => [path, deeds.map(({ did }) => did)])).toEqual([
      ["src/new.rs", ["created"]],
      ["src/lib.rs", ["edited"]],
    ]);
  });

  it("X28 the client's own summary is its base", async () => {
    const { session, owns } = await told(SAID);
    value(await updateAnchor(place.store, session, owns, LIMIT));
    const text = value(secretRedactor("key").text("All that mattered was the parser."));
    const summary = value(await setAnchorBase(place.store, session, text.text, LIMIT));
    expect(summary).toContain("### The client's own summary\nAll that mattered was the parser.");
    expect(summary).toContain("[t2.1] Now the objects too");
  });

  it("X72 what people wrote is never overwritten, not even inside our part", async () => {
    const { session, owns, file } = await told(SAID);
    writeFileSync(file, "# Mine\r\n\tkeep  this ");
    const first = value(await updateAnchor(place.store, session, owns.slice(0, 3), LIMIT));
    expect(first.startsWith("# Mine\r\n\tkeep  this \n\n## From the conversation")).toBe(true);
    const second = value(await updateAnchor(place.store, session, owns, LIMIT));
    expect(second.match(/## From/g)).toHaveLength(1);
    expect(handWritten(second)).toBe("# Mine\r\n\tkeep  this \n\n");
    const edited = second.replace("Now the objects too", "Now the objects, and maps");
    writeFileSync(file, edited);
    const third = value(await updateAnchor(place.store, session, owns, LIMIT));
    expect(third.startsWith(edited)).toBe(true);
    expect(third.match(/## From/g)).toHaveLength(2);
    expect(value(await updateAnchor(place.store, session, owns, LIMIT))).toBe(third);
  });

  it("stays within its length, the first part within what a request shows; the oldest detail goes first", async () => {
    const lines = Array.from({ length: 60 }, (_, i) => [
      `u:intent number ${i} ${"and some more words ".repeat(6)}`,
      `c:id${i} shell {"command":"run step ${i}"}`,
      `r:id${i} exit code: 0`,
      `a:We decided on plan ${i} because of ${"reasons ".repeat(12)}.`,
    ]).flat();
    const { session, owns } = await told(lines);
    const text = value(await updateAnchor(place.store, session, owns, LIMIT));
    expect(text.length).toBeLessThanOrEqual(14_000);
    expect(text.length).toBeGreaterThan(10_000);
    expect(text.indexOf("### Earlier")).toBeLessThan(2500);
    for (const part of ["### Task", "### Asked since", "### What the agent decided", "intent number 59", "plan 59"])
      expect(text.slice(0, 2500)).toContain(part);
    expect(text).not.toContain("[t2.1]");
    const short = value(await updateAnchor(place.store, session, owns, { maxChars: 3000 }));
    expect(short.length).toBeLessThanOrEqual(3000);
  });
});

describe("N28 an anchor that is worth its room", () => {
  const looks = (turn: number): string[] => [
    `c:l${turn} shell {"command":"cat file${turn}a"}`,
    `r:l${turn} contents\nexit code: 0`,
    `c:m${turn} read_file {"path":"src/file${turn}.ts"}`,
    `r:m${turn} export const a = ${turn};`,
  ];

  it("N28 commands that only looked are not listed, equal ones are folded, and the user's Remember is there", async () => {
    const lines = Array.from({ length: 40 }, (_, i) => [
      `u:${i === 3 ? "Remember: the deploy window is Tuesday 04:00 UTC." : `Look at part ${i}`}`,
      ...looks(i),
      `c:t${i} shell {"command":"cd /repo && npm test 2>&1 | tail -5"}`,
      `r:t${i} Tests: 2 failed, 9 passed`,
      "a:Done.",
    ]).flat();
    const { session, owns } = await told(lines);
    const text = value(await updateAnchor(place.store, session, owns, LIMIT));
    const shown = shownAnchor(text, 2_500, (one) => one);
    expect(shown).toContain("] Remember: the deploy window is Tuesday 04:00 UTC.");
    expect(text).not.toMatch(/cat file|file\d+\.ts/);
    expect(text.match(/npm test/g)).toHaveLength(1);
    expect(shown).toMatch(/- \[t40\.6\] `npm test`: failed \(.*2 failed/);
    expect(shown.length).toBeLessThanOrEqual(2_500);
    expect(shown).not.toContain("does not fit");
    expect(shown).not.toContain("Earlier");
    expect(shown).not.toMatch(/^#.*$(?![\s\S]*\n- )/m);
  });

  it("N28 with nothing worth saying there is no anchor", async () => {
    const { session, owns } = await told(["u:Look around", ...looks(1), ...looks(2), "a:I looked."]);
    const text = value(await updateAnchor(place.store, session, owns.slice(1), LIMIT));
    expect(text).toBe("");
    expect(shownAnchor(text, 2_500, (one) => one)).toBe("");
  });

  it("N28 answers what was said and decided in long sessions, out of its 2,500 characters", () => {
    const said = FACTS.filter(({ where }) => where !== "tool");
    const filler = "The importer reads a file line by line. Look at the next part of it, please. ".repeat(6);
    const stored = { own: "", time: "", wire: "anthropic" as const, bytes: 1, indexed: true };
    const items = said.flatMap(({ where, text }, at): ProxyItem[] => [
      {
        ...stored,
        seq: 3 * at,
        turn: at + 1,
        item: 1,
        role: "user",
        type: "message",
        text: where === "user" ? `${filler}${text} ${filler}` : filler,
      },
      {
        ...stored,
        seq: 3 * at + 1,
        turn: at + 1,
        item: 2,
        role: "assistant",
        type: "tool_call",
        tool: "Bash",
        callId: `c${at}`,
        text: `Bash {"command":"cat file${at}"}`,
      },
      {
        ...stored,
        seq: 3 * at + 2,
        turn: at + 1,
        item: 3,
        role: "assistant",
        type: "message",
        text: where === "assistant" ? text : "I read it.",
      },
    ]);
    const shown = shownAnchor(withAnchor("", anchorOf(items), 14_000), 2_500, (one) => one);
    const answered = (of: string) => {
      const own = said.filter(({ where }) => where === of);
      return own.filter(({ answer }) => shown.includes(answer)).length / own.length;
    };
    // The user's own are nearly all there; of what the agent said only decisions are told apart.
    expect(answered("user")).toBeGreaterThanOrEqual(0.9);
    expect(answered("assistant")).toBeGreaterThanOrEqual(0.25);
  });

  it("N28 what people wrote comes first and whole; ours follows in whole lines", () => {
    const items = Array.from({ length: 30 }, (_, at) => ({
      ...{
        seq: at,
        own: String(at),
        turn: at + 1,
        item: 1,
        time: "",
        wire: "anthropic" as const,
        bytes: 1,
        indexed: true,
      },
      ...{ role: "user", type: "message", text: `Never touch the folder number ${at} of the vendors.` },
    }));
    const file = withAnchor("# Mine\nkeep this\n", anchorOf(items), 14_000);
    const shown = shownAnchor(file, 1_000, (one) => one);
    expect(shown.length).toBeLessThanOrEqual(1_000);
    expect(shown).toMatch(/^# Mine\nkeep this\n\n## From the conversation\n/);
    expect(shown.split("\n").at(-1)).toMatch(/^- \[t\d+\.1\] Never touch the folder number \d+ of the vendors\.$/);
  });

  it("N28 an anchor of an earlier version is made anew from what is stored, with the client's summary", async () => {
    const { session, owns } = await told(SAID);
    const first = value(await updateAnchor(place.store, session, owns, LIMIT));
    place.db.exec("UPDATE proxy_item SET dropped = 'proxy'");
    const old = JSON.stringify({
      base: "All about the parser.",
      intents: [],
      decisions: [],
      files: [],
      commands: [],
      errors: [],
    });
    place.db.prepare("UPDATE proxy_session SET anchor = ?").run(old);
    const again = value(await updateAnchor(place.store, session, [], LIMIT));
    expect(again).toContain("All about the parser.");
    expect(
      again
        .replace(/\n### The client's own summary\n.*/, "")
        .split("\n")
        .slice(1),
    ).toEqual(first.split("\n").slice(1));
  });
});

it("X71 X72 whatever was said and written, the file stays in its length and the hand's part in the file", () => {
  const item = fc.record({
    seq: fc.nat(),
    own: fc.string(),
    turn: fc.nat(20),
    item: fc.integer({ min: 1, max: 9 }),
    time: fc.constant(""),
    wire: fc.constant("anthropic" as const),
    role: fc.constantFrom("user", "assistant", "tool"),
    type: fc.constantFrom("message", "tool_call", "tool_result"),
    tool: fc.constantFrom("edit", "bash"),
    bytes: fc.nat(),
    indexed: fc.constant(true),
    text: fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 2000 }),
      fc.string().map((s) => `{"path": ${JSON.stringify(s)}, "command": ${JSON.stringify(s)}}`),
      fc.string().map((s) => `We decided ${s}.\nexit code: 1`),
    ),
  });
  fc.assert(
    fc.property(
      fc.array(item, { maxLength: 40, size: "max" }),
      fc.string({ unit: "grapheme", maxLength: 3000, size: "max" }),
      fc.integer({ min: 200, max: 14_000 }),
      (items, hand, max) => {
        const facts = anchorOf(items);
        expect(anchorText(facts, max).length).toBeLessThanOrEqual(max);
        const file = withAnchor(hand, facts, max);
        expect(file.startsWith(hand)).toBe(true);
        expect(file.length).toBeLessThanOrEqual(Math.max(max, hand.length));
        expect(withAnchor(file, facts, max)).toBe(file);
      },
    ),
    { numRuns: 60 },
  );
});
