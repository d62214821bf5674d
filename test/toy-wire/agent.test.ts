// A wire is one folder: this one is registered, and the agent speaks it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { registerWire } from "../../src/model/wire/registry.ts";
import { converse } from "../context/stage.ts";
import { only, placeFor } from "../tool/everlong.ts";
import { END, startToyServer } from "./server.ts";
import { toyWire } from "./wire.ts";

registerWire(toyWire);

it("A2.1 A2.21 the agent holds a conversation with a tool call over a wire that one folder adds", async () => {
  const server = await startToyServer(({ body }) => {
    const isAnswered = body.talk.at(-1)?.by === "helper";
    if (isAnswered) return [{ say: "It says blue." }, END];
    return [
      { ask: { id: "an-id-that-is-too-long", helper: "view", with: { path: "colour.txt" } } },
      { ...END, end: "helpers" },
    ];
  });
  const place = placeFor(server, { EVERLONG_WIRE: "toy", EVERLONG_ALLOW_ALL: "1" });
  const { say, close } = await converse(place);
  writeFileSync(join(place.folder, "colour.txt"), "the colour is blue\n");
  const events = await say("Which colour is in colour.txt?");
  await close();

  expect(only(events, "assistant.message").at(-1)?.data.content).toBe("It says blue.");
  expect(only(events, "tool.execution_complete")[0]?.data).toMatchObject({ success: true });
  const [first, second] = server.requests;
  expect([first?.path, first?.headers["x-toy-key"]]).toEqual(["/toy/talk", place.env["EVERLONG_API_KEY"]]);
  expect(first?.body.helpers?.map(({ name }) => name)).toContain("view");
  const [question, call, result] = second?.body.talk.slice(-3) ?? [];
  expect(JSON.stringify(question)).toContain("Which colour");
  const id = "an-id-that-i";
  expect(call).toEqual({ by: "machine", words: [{ ask: { id, helper: "view", with: { path: "colour.txt" } } }] });
  expect(result?.words[0]).toMatchObject({ reply: { id, out: expect.stringContaining("the colour is blue") } });
});
