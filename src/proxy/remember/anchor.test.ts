import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { secretRedactor } from "../../memory/secret/filter.ts";
import { caller, history, openPlace, type Place, rememberIn, request, seeable, value } from "../store/store-fixture.ts";
import { setAnchorBase, updateAnchor } from "./anchor.ts";
import { foldFacts, noFacts } from "./anchor-facts.ts";
import { anchorText, handWritten, withAnchor } from "./anchor-text.ts";

let place: Place;
beforeEach(async () => {
  place = await openPlace();
});
afterEach(() => place.remove());

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

async function told(lines: readonly string[]) {
  const items = history(...lines);
  const { session, lane } = await request(place.store, caller("k"), items);
  const remember = rememberIn(place);
  value(await remember.ensure(session, lane.id, items.flatMap(seeable)));
  return { session, owns: items.flatMap((item) => item.own ?? []), file: join(session.path, "summary.md") };
}

describe("X71 the anchor", () => {
  it("tells task, intents, decisions, files, commands with outcome and open errors, each with its ref", async () => {
    const { session, owns, file } = await told(SAID);
    const text = value(await updateAnchor(place.store, session, owns.slice(1)));
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(text).toContain("### Task\n- [t1.1] Make the parser accept trailing commas\n");
    expect(text).toContain("### Asked\n- [t2.1] Now the objects too\n");
    expect(text).toContain("- [t1.6] We decided to keep the strict mode as the default.");
    expect(text).toContain("- [t1.2] src/parse/array.ts: ");
    expect(text).toContain("- [t1.4] `npm test`: exit 1");
    expect(text).toContain("- [t2.2] `npm run lint`: exit 0");
    expect(text).toContain("### Open errors\n- [t1.5] k2 FAIL array.test.ts: Error: expected ] (npm test)");
  });

  it("tells what was asked, not what the client put beside it", async () => {
    const noise = "<system-reminder>\nNever mention this. The user always prefers tabs.\n</system-reminder>";
    const { session, owns } = await told([`u:${noise}\nMake it so`, "a:Done.", `u:${noise}\nNow the tests`]);
    const text = value(await updateAnchor(place.store, session, owns));
    expect(text).toContain("### Task\n- [t1.1] Make it so\n");
    expect(text).toContain("- [t2.1] Now the tests\n");
    expect(text).not.toContain("Never mention");
  });

  it("grows cut by cut, the same as at once, and the same when told twice; a success closes its error", async () => {
    const { session, owns } = await told(SAID);
    value(await updateAnchor(place.store, session, owns.slice(0, 5)));
    value(await updateAnchor(place.store, session, owns.slice(3)));
    const twice = value(await updateAnchor(place.store, session, owns.slice(3)));
    const fixed = [...SAID, 'c:k4 shell {"command":["npm","test"]}', "r:k4 passed\nexit code: 0"];
    const more = await told(fixed);
    const closed = value(await updateAnchor(place.store, session, more.owns.slice(-2)));
    expect(closed).not.toContain("Open errors");
    place.db.exec("UPDATE proxy_session SET anchor = NULL");
    expect(value(await updateAnchor(place.store, session, owns))).toBe(twice);
  });

  it("reads calls as the clients make them: patches, shells around commands, parallel calls, exit codes in JSON", () => {
    const item = { seq: 1, own: "", time: "", wire: "openai-responses" as const, bytes: 1, indexed: true };
    const call = { ...item, role: "assistant", type: "tool_call", turn: 1 };
    const facts = foldFacts(noFacts(), [
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
    expect(facts.commands.map(({ text, outcome }) => [text, outcome])).toEqual([
      ["cargo test", "exit 101"],
      ["ls", "failed"],
    ]);
    expect(facts.files.map(({ text, did }) => [text, did])).toEqual([
      ["src/new.rs", ["created"]],
      ["src/lib.rs", ["edited"]],
      ["a.ts", ["read"]],
    ]);
    expect(facts.errors.map(({ item: number }) => number)).toEqual([3, 6]);
  });

  it("X28 the client's own summary is its base", async () => {
    const { session, owns } = await told(SAID);
    value(await updateAnchor(place.store, session, owns));
    const text = value(secretRedactor("key").text("All that mattered was the parser."));
    const summary = value(await setAnchorBase(place.store, session, text.text));
    expect(summary).toContain("### The client's own summary\nAll that mattered was the parser.");
    expect(summary).toContain("[t2.1] Now the objects too");
  });

  it("X72 what people wrote is never overwritten, not even inside our part", async () => {
    const { session, owns, file } = await told(SAID);
    writeFileSync(file, "# Mine\r\n\tkeep  this ");
    const first = value(await updateAnchor(place.store, session, owns.slice(0, 3)));
    expect(first.startsWith("# Mine\r\n\tkeep  this \n\n## From the conversation")).toBe(true);
    const second = value(await updateAnchor(place.store, session, owns));
    expect(second.match(/## From/g)).toHaveLength(1);
    expect(handWritten(second)).toBe("# Mine\r\n\tkeep  this \n\n");
    const edited = second.replace("Now the objects too", "Now the objects, and maps");
    writeFileSync(file, edited);
    const third = value(await updateAnchor(place.store, session, owns));
    expect(third.startsWith(edited)).toBe(true);
    expect(third.match(/## From/g)).toHaveLength(2);
    expect(value(await updateAnchor(place.store, session, owns))).toBe(third);
  });

  it("stays within its length, the first part within what a request shows; the oldest detail goes first", async () => {
    const lines = Array.from({ length: 60 }, (_, i) => [
      `u:intent number ${i} ${"and some more words ".repeat(6)}`,
      `c:id${i} shell {"command":"run step ${i}"}`,
      `r:id${i} exit code: 0`,
      `a:We decided on plan ${i} because of ${"reasons ".repeat(12)}.`,
    ]).flat();
    const { session, owns } = await told(lines);
    const text = value(await updateAnchor(place.store, session, owns, { maxChars: 14_000 }));
    expect(text.length).toBeLessThanOrEqual(14_000);
    expect(text.length).toBeGreaterThan(10_000);
    expect(text.indexOf("### Earlier")).toBeLessThan(2500);
    for (const part of ["### Task", "### Asked", "### Decided", "### Commands", "intent number 59", "run step 59"])
      expect(text.slice(0, 2500)).toContain(part);
    expect(text).not.toContain("[t2.1]");
    const short = value(await updateAnchor(place.store, session, owns, { maxChars: 3000 }));
    expect(short.length).toBeLessThanOrEqual(3000);
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
        const facts = foldFacts(noFacts(), items);
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
