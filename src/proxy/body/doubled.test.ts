// Doubled responses in the shapes in which gemini sends them.
import { expect, it } from "vitest";
import type { ScannedBody } from "../contract.ts";
import { withoutDoubled } from "./doubled.ts";
import { scanBody } from "./scan.ts";

const response = { functionResponse: { name: "bash", response: { output: "1" } } };
const call = { role: "model", parts: [{ functionCall: { name: "bash", args: {} } }] };

function scanned(text: string): ScannedBody {
  const body = scanBody(Buffer.from(text), "gemini");
  if (!body.ok) throw new Error(body.error);
  return body.value;
}
const contentsOf = (body: ScannedBody) => body.value["contents"];

it("N25 X47 a second answer to one call is taken out, and nothing else changes", () => {
  const rest = '"generationConfig": {"temperature": 1.0}';
  const go = '{"role": "user", "parts": [{"text": "go\\u0021"}]}';
  const doubled = JSON.stringify({ role: "user", parts: [response, { ...response }] });
  const body = withoutDoubled(scanned(`{"contents": [${go}, ${JSON.stringify(call)}, ${doubled}], ${rest}}`));
  expect(contentsOf(body)).toEqual([
    { role: "user", parts: [{ text: "go!" }] },
    call,
    { role: "user", parts: [response] },
  ]);
  expect(body.bytes.toString()).toContain(go);
  expect(body.bytes.toString()).toContain(rest);
  expect(body.items).toHaveLength(3);
});

it("N25 a message that only repeats answers is gone; a body without any is the very same", () => {
  const user = { role: "user", parts: [response] };
  const again = scanned(
    JSON.stringify({ contents: [call, user, { ...user }, { role: "model", parts: [{ text: "ok" }] }] }),
  );
  expect(contentsOf(withoutDoubled(again))).toEqual([call, user, { role: "model", parts: [{ text: "ok" }] }]);
  const whole = scanned(JSON.stringify({ contents: [call, user, call, user] }));
  expect(withoutDoubled(whole)).toBe(whole);
});
