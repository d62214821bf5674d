// Permission through an editor: the four answers, memory requests whole, and nobody there.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { bash, gitInit, oneCall, scene, toolResults } from "../agent/scene.ts";
import { add, list } from "../memory/hand-stage.ts";
import { calls, type Reply, text } from "../model-server/reply.ts";
import { logOf, only, type Place, run } from "../tool/everlong.ts";
import { choose, openEditor, textOf } from "./editor.ts";

const touch = (name: string): Reply => calls([bash(`touch ${name}`)]);
const has = (place: Place, name: string): boolean => existsSync(join(place.folder, name));
const bodyOf = (call: { content?: unknown } | undefined): string => JSON.stringify(call?.content ?? "");

describe("permission through an editor", () => {
  it("Y4 once, session, location and reject are what they are in the terminal", async () => {
    const script = ["one", "two", "three", "four"].flatMap((name) => [touch(name), text("ok")]);
    const { place, server } = await scene([...script, calls([bash("mkdir folder")]), text("ok")]);
    await run(place, ["trust"]);
    const answers = ["reject", "once", "session"];
    const editor = await openEditor(place, { permission: () => choose(answers.shift() ?? "location") });
    const id = await editor.session();
    for (const word of ["a", "b", "c", "d"]) await editor.say(id, word);
    expect(["one", "two", "three", "four"].map((name) => has(place, name))).toEqual([false, true, true, true]);
    expect(editor.asked).toHaveLength(3);
    expect(editor.asked[0]?.options).toEqual([
      { optionId: "once", name: "Allow once", kind: "allow_once" },
      { optionId: "session", name: "Allow in this session: shell(touch:*)", kind: "allow_always" },
      { optionId: "location", name: "Always allow in this folder: shell(touch:*)", kind: "allow_always" },
      { optionId: "reject", name: "Reject", kind: "reject_once" },
    ]);
    expect(toolResults(server.requests[1])[0]?.text).toContain("The user rejected");
    const failed = editor.updates.find(({ update }) => "status" in update && update.status === "failed");
    expect(failed?.update).toMatchObject({ rawOutput: { error: { code: "rejected" } } });
    await editor.say(id, "e");
    await editor.leave();
    const scopes = only(logOf(place), "permission.completed").map(({ data }) => [data.result, data.scope]);
    expect(scopes).toEqual([
      ["denied", undefined],
      ["approved", "once"],
      ["approved", "session"],
      ["approved", "location"],
    ]);
  });

  it("Y4 M61 a memory is asked about whole: subject, fact, citations, scope and reason; a vote with its direction", async () => {
    const fact = `The build needs ${"very ".repeat(90)}new Node.`;
    const citations = ["README.md:1", "User: build it with 24"];
    const { place } = await scene([
      oneCall("store_memory", { subject: "build", fact, citations, reason: "it fails else" }),
      text("stored"),
      oneCall("vote_memory", { fact: "Tests run with vitest.", direction: "downvote", reason: "they run with jest" }),
      text("voted"),
    ]);
    gitInit(place);
    writeFileSync(join(place.folder, "README.md"), "# Build\n");
    await add(place, "Tests run with vitest.");
    const editor = await openEditor(place, { permission: () => choose("once") });
    const id = await editor.session();
    await editor.say(id, "how is it built?");
    await editor.say(id, "is that right?");
    const [store, vote] = editor.asked.map(({ toolCall }) => toolCall);
    for (const part of ["Store a memory", "build", fact, ...citations, "it fails else", "scope repository"])
      expect(bodyOf(store)).toContain(part);
    expect(store?.rawInput).toMatchObject({
      kind: "memory",
      action: "store",
      subject: "build",
      fact,
      citations,
      scope: "repository",
    });
    expect(bodyOf(vote)).toContain("Vote a memory down");
    expect(bodyOf(vote)).toContain("they run with jest");
    expect(vote?.rawInput).toMatchObject({ kind: "memory", action: "vote", direction: "downvote" });
    await editor.leave();
    expect((await list(place)).map((row) => row.fact)).toContain(fact);
  });

  it("Y4 a client that goes away in a question has said no; what was said is kept, and nothing ran", async () => {
    const { place } = await scene([touch("never"), text("unused")]);
    let ask: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      ask = resolve;
    });
    const editor = await openEditor(place, {
      permission: () => {
        ask();
        return new Promise(() => undefined);
      },
    });
    const id = await editor.session();
    void editor.say(id, "touch it").catch(() => undefined);
    await asked;
    expect(await editor.leave()).toBe(0);
    expect(has(place, "never")).toBe(false);
    const log = logOf(place, id);
    expect(only(log, "permission.completed").map(({ data }) => data.result)).toEqual(["denied"]);
    expect(only(log, "user.message")).toHaveLength(1);
    expect(only(log, "session.shutdown")).toHaveLength(1);
  });

  it("Y4 an answer that was not offered is a no", async () => {
    const { place } = await scene([touch("never"), text("ok")]);
    const editor = await openEditor(place, { permission: () => choose("location") });
    await editor.say(await editor.session(), "touch it");
    // The folder is not trusted: location was not among the options.
    expect(editor.asked[0]?.options.map(({ optionId }) => optionId)).toEqual(["once", "session", "reject"]);
    expect(has(place, "never")).toBe(false);
  });

  it("Y4 the agent's own questions are asked by a form, or by their choices", async () => {
    const question = { question: "Which colour?", choices: ["red", "blue"] };
    const { place, server } = await scene([
      oneCall("ask_user", question),
      text("red it is"),
      oneCall("ask_user", question),
      text("blue it is"),
    ]);
    const plain = await openEditor(place, { permission: () => choose("choice-0") });
    expect(await plain.say(await plain.session(), "paint")).toBe("end_turn");
    expect(toolResults(server.requests[1])[0]?.text).toContain("red");
    const forms = await openEditor(place, {
      capabilities: { elicitation: { form: {} } },
      more: (app) =>
        app.onRequest(methods.client.elicitation.create, () => ({ action: "accept", content: { answer: "blue" } })),
    });
    expect(await forms.say(await forms.session(), "paint")).toBe("end_turn");
    expect(toolResults(server.requests[3])[0]?.text).toContain("blue");
    expect(textOf(forms.updates)).toBe("blue it is");
  });
});
