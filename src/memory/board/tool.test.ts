import { describe, expect, it } from "vitest";
import { ok } from "../../base/result.ts";
import { embeddedStore, runUnit } from "../../store/embedded-store.ts";
import type { Tool, ToolContext, ToolOutcome } from "../../tool/contract.ts";
import { validateCall } from "../../tool/validate.ts";
import { later, openBoard, place, redact, redactor, text, user } from "./board-fixture.ts";
import { findItem, listItems } from "./row.ts";
import { putItem } from "./store.ts";
import { contextBoardTool } from "./tool.ts";

async function board(more: { readOnly?: boolean } = {}) {
  const db = await openBoard();
  const told: string[] = [];
  const tool = contextBoardTool({
    ...{ place, redactor, redact, now: later },
    store: async () => ok(embeddedStore(db)),
    ...(more.readOnly ? {} : { writer: () => ({ actor: "rem-agent", source: {} }) }),
    onDone: (command, outcome) => told.push(`${command} ${outcome}`),
  });
  return { db, told, call: (args: object) => call(tool, args) };
}

async function call(tool: Tool, args: object): Promise<ToolOutcome> {
  const checked = validateCall([tool], "context_board", args);
  if (!checked.ok) throw new Error(checked.error.message);
  return tool.run(checked.value.input, {} as ToolContext);
}

const add = (name: string, more: object = {}) => ({ command: "add", name, description: "d", context: "c", ...more });

describe("context_board", () => {
  it("M87 each command answers as stated", async () => {
    const { db, call, told } = await board();
    expect(await call({ command: "get_board" })).toMatchObject({
      type: "success",
      text: expect.stringContaining("empty"),
    });
    expect(await call(add("build", { context: "npm run build" }))).toMatchObject({
      type: "success",
      text: expect.stringContaining("future sessions"),
    });
    expect(await call({ command: "get", src: "agent", name: "build" })).toEqual({
      type: "success",
      text: "npm run build",
    });
    expect(runUnit(db, findItem(place, "agent", "build"))?.readCount).toBe(1);
    expect(await call({ command: "get", src: "user", name: "build" })).toMatchObject({
      code: "not_found",
      message: expect.stringMatching(/user.*build/),
    });
    await call(add("build", { context: "make" }));
    expect(runUnit(db, findItem(place, "agent", "build"))).toMatchObject({ content: "make", readCount: 1, version: 2 });
    await putItem(embeddedStore(db), place, { src: "user", text: text("own"), at: later() }, user);
    expect(await call({ command: "prune", name: "own" })).toMatchObject({ code: "user_item" });
    expect(await call({ command: "prune", name: "absent" })).toMatchObject({ code: "not_found" });
    expect(await call({ command: "prune", name: "build" })).toMatchObject({ type: "success" });
    expect(runUnit(db, listItems(place)).map((i) => i.name)).toEqual(["own"]);
    expect(told.slice(-3)).toEqual(["prune user_item", "prune not_found", "prune success"]);
  });

  it("M87 MB14 B41 at 23 it says to prune to 18, the 26th is refused, and a full board of the user's says so", async () => {
    const { db, call } = await board();
    const last: ToolOutcome[] = [];
    for (let i = 1; i <= 25; i++) last.push(await call(add(`item-${i}`)));
    expect(last[21]).toMatchObject({ text: expect.not.stringContaining("of 25") });
    expect(last[22]).toMatchObject({ text: expect.stringMatching(/23 of 25.*prune to 18/) });
    expect(await call(add("item-26"))).toMatchObject({
      code: "board_full",
      message: expect.stringContaining("prune first"),
    });
    expect(await call(add("item-3"))).toMatchObject({ type: "success" });
    for (let i = 1; i <= 25; i++) {
      await call({ command: "prune", name: `item-${i}` });
      await putItem(embeddedStore(db), place, { src: "user", text: text(`own-${i}`), at: later() }, user);
    }
    expect(await call(add("item-26"))).toMatchObject({
      code: "board_full",
      message: expect.stringContaining("only the user"),
    });
  });

  it.each([
    [{ command: "add", name: "a", description: "d" }, /context/],
    [{ command: "get", name: "a" }, /src/],
    [{ command: "prune" }, /name.*kebab-case/],
    [{ command: "drop" }, /get_board, get, add, prune.*kebab-case/],
    [{ command: "get", src: "other", name: "a" }, /agent or user/],
    [add("Build The App"), /up to 64.*"build-the-app"/],
    [add("a".repeat(65)), /up to 64/],
    [add("a", { description: "two\nlines" }), /one line/],
    [add("a", { description: "x".repeat(201) }), /the maximum is 200/],
    [add("a", { context: "x".repeat(8001) }), /the maximum is 8000/],
    [add("a", { context: "  " }), /context is missing/],
  ])("M87 MB14 B35 %j is invalid_inputs and stores nothing", async (args, message) => {
    const { db, call } = await board();
    expect(await call(args)).toMatchObject({ code: "invalid_inputs", message: expect.stringMatching(message) });
    expect(runUnit(db, listItems(place))).toEqual([]);
  });

  it("M87 characters are code points", async () => {
    const { call } = await board();
    expect(await call(add("a", { description: "𝒳".repeat(200) }))).toMatchObject({ type: "success" });
  });

  it("M125 secrets are redacted before anything is stored", async () => {
    const { db, call } = await board();
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    expect(await call(add("a", { description: `use ${secret}`, context: `key ${secret}` }))).toMatchObject({
      text: expect.stringContaining("Secrets redacted: 2"),
    });
    expect(JSON.stringify(db.prepare("SELECT * FROM dynamic_context_items, board_changes").all())).not.toContain(
      secret,
    );
  });

  it("M138 a holder without a writer may only look", async () => {
    const { db, call } = await board({ readOnly: true });
    await putItem(embeddedStore(db), place, { src: "user", text: text("own"), at: later() }, user);
    for (const args of [add("a"), { command: "prune", name: "own" }])
      expect(await call(args)).toMatchObject({ code: "read_only" });
    expect(await call({ command: "get", src: "user", name: "own" })).toMatchObject({ type: "success" });
    expect(runUnit(db, listItems(place))).toHaveLength(1);
  });
});
