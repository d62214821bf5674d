// Random request bodies of all four wires, written as clients never should but may: for the property tests of this folder.
import fc, { type Arbitrary } from "fast-check";
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";

const space = fc.constantFrom("", "", "", " ", "\n  ", "\t\r\n");
const spaced = (text: Arbitrary<string>): Arbitrary<string> =>
  fc.tuple(space, text, space).map(([before, inner, after]) => before + inner + after);

const CHARACTERS = ["a", "B", " ", "{", "]", ",", ":", "é", "漢", "👩", "\u2028", "\\n", '\\"', "\\\\", "\\/"];
const ESCAPES = ["\\u00e9", "\\ud83d", "\\udc69", "\\u0000", "\\\\\\\\", '\\\\\\"'];
/** String literals; long ones leave the near part of the skipping loop. */
const literal = fc
  .array(fc.oneof(fc.constantFrom(...CHARACTERS), fc.constantFrom(...ESCAPES)), { maxLength: 40 })
  .map((units) => `"${units.join("")}"`);
const NUMBERS = ["1.0", "1e400", "-0", "0", "12345678901234567890", "-1.5E+3"];
const key = fc.constantFrom('"a"', '"__proto__"', '"content"', '"r\\u006fle"', '"text"', '""', '"type"', '"漢"');

const list = (elements: Arbitrary<string>[]): Arbitrary<string> =>
  elements.length === 0
    ? space.map((inner) => `[${inner}]`)
    : fc.tuple(...elements.map(spaced)).map((texts) => `[${texts.join(",")}]`);
type Field = readonly [key: string, value: Arbitrary<string>];
const object = (fields: readonly Field[]): Arbitrary<string> =>
  fields.length === 0
    ? space.map((inner) => `{${inner}}`)
    : fc
        .tuple(...fields.map(([name, value]) => fc.tuple(spaced(fc.constant(name)), spaced(value))))
        .map((members) => `{${members.map(([name, value]) => `${name}:${value}`).join(",")}}`);
const some = <T>(one: Arbitrary<T>, max: number): Arbitrary<T[]> => fc.array(one, { maxLength: max });

/** Doubled keys are as likely as not. */
const { value: anything } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(literal, fc.constantFrom(...NUMBERS, "true", "false", "null")),
    some(tie("value"), 3).chain((values) => list(values.map((text) => fc.constant(text)))),
    some(fc.tuple(key, tie("value")), 3).chain((pairs) => object(pairs.map(([k, text]) => [k, fc.constant(text)]))),
  ),
}));

const word = (text: string): Arbitrary<string> => fc.constant(`"${text}"`);
const part = (...fields: Field[]): Arbitrary<string> => object(fields);
const parts = (one: Arbitrary<string>): Arbitrary<string> =>
  some(one, 3).chain((texts) => list(texts.map((text) => fc.constant(text))));

const textPart = part(['"type"', word("text")], ['"text"', literal], ['"a"', anything]);
const inputPart = part(['"text"', literal], ['"type"', word("input_text")]);
const claudeResult = part(['"type"', word("tool_result")], ['"tool_use_id"', literal], ['"content"', literal]);
const geminiText = part(['"text"', literal]);
const geminiResponse = part(['"functionResponse"', part(['"name"', word("f")], ['"response"', anything])]);

/** An item's members in any order, some unknown, the content perhaps doubled and its key escaped: the last one counts. */
const item = (holder: string, role: Arbitrary<string>, content: Arbitrary<string>): Arbitrary<string> => {
  const escaped = holder.replace("t", "\\u0074");
  const fixed: Field[] = [
    ['"role"', role],
    ['"x"', anything],
  ];
  return fc
    .tuple(fc.shuffledSubarray(fixed, { minLength: 1 }), fc.boolean(), fc.boolean())
    .chain(([fields, doubled, odd]) =>
      object([
        ...(doubled ? [[`"${holder}"`, anything] as const] : []),
        ...fields,
        [`"${odd ? escaped : holder}"`, content],
      ]),
    );
};
const oddItem = object([
  ['"role"', word("user")],
  ['"type"', anything],
]);

const items: Record<WireName, Arbitrary<string>> = {
  "openai-chat": item(
    "content",
    fc.constantFrom('"user"', '"user"', '"tool"', '"assistant"', '"system"'),
    fc.oneof(literal, parts(textPart), anything),
  ),
  "openai-responses": item(
    "content",
    fc.constantFrom('"user"', '"user"', '"assistant"', '"developer"'),
    fc.oneof(literal, parts(inputPart), anything),
  ),
  anthropic: item(
    "content",
    fc.constantFrom('"user"', '"user"', '"assistant"'),
    fc.oneof(literal, parts(fc.oneof(textPart, claudeResult)), anything),
  ),
  gemini: item(
    "parts",
    fc.constantFrom('"user"', '"user"', '"model"', '"function"'),
    fc.oneof(parts(fc.oneof(geminiText, geminiResponse)), anything),
  ),
};

export const WIRES = Object.keys(items) as WireName[];

/** JSON of an item as it may be in this wire's history. */
export const itemText = (wire: WireName): Arbitrary<string> => fc.oneof({ weight: 9, arbitrary: items[wire] }, oddItem);

/** A whole body that may be managed. */
export const bodyText = (wire: WireName): Arbitrary<string> => {
  const name = wireOf(wire).history.key;
  const asList = some(itemText(wire), 6).chain((texts) => list(texts.map((text) => fc.constant(text))));
  const history = wire === "openai-responses" ? fc.oneof({ weight: 4, arbitrary: asList }, literal) : asList;
  const named = fc.constantFrom(`"${name}"`, `"${name.replace("n", "\\u006e")}"`);
  const others = fc.shuffledSubarray(['"model"', '"tools"', '"system"', '"__proto__"', '"漢"']);
  return spaced(
    fc.tuple(others, named, fc.nat(5)).chain(([keys, historyName, place]) => {
      const fields = keys.map((other): Field => [other, anything]);
      return object(fields.toSpliced(place, 0, [historyName, history]));
    }),
  );
};

export const wireAndBody: Arbitrary<{ wire: WireName; text: string }> = fc
  .constantFrom(...WIRES)
  .chain((wire) => bodyText(wire).map((text) => ({ wire, text })));
