// A closed compaction is known again by its seal, and by nothing else.
import { expect, it } from "vitest";
import { sealIn, sealOf } from "./seal.ts";

const WIRE = "openai-responses";
const item = { type: "compaction", encrypted_content: "gAAAA-closed" };
const { response } = { response: { output: [{ type: "message", role: "user" }, item] } };

it("X23 X28 the seal of an answer is the seal of the item that the client sends back", () => {
  const seal = sealOf(WIRE, { ...item, id: "cmp_1", status: "completed" }, "key");
  expect(seal).toMatch(/^sealed [0-9a-f]{64}$/);
  expect(seal).not.toContain("gAAAA");
  expect(
    sealIn(
      WIRE,
      [
        { type: "response.created", response: { output: [] } },
        { type: "response.completed", response },
      ],
      "key",
    ),
  ).toBe(seal);
  expect(sealIn(WIRE, [{ type: "response.output_item.done", item }], "key")).toBe(seal);
  expect(sealIn(WIRE, [response], "key")).toBe(seal);
});

it("X28 another key or content has another seal; what is no closed compaction has none", () => {
  expect(sealOf(WIRE, item, "other")).not.toBe(sealOf(WIRE, item, "key"));
  expect(sealOf(WIRE, { ...item, encrypted_content: "gAAAA-other" }, "key")).not.toBe(sealOf(WIRE, item, "key"));
  for (const none of [null, "x", { type: "compaction" }, { type: "reasoning", encrypted_content: "x" }])
    expect(sealOf(WIRE, none, "key")).toBeUndefined();
});
