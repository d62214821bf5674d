// Values of a schema, for fast-check: everything that the schema accepts, odd texts and unknown fields included.
import fc, { type Arbitrary } from "fast-check";
import type { z } from "zod";

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom("", "\u2028\u2029\u0085", "\ud800", '{"id":"x"}\n', "\u0000", "\r\n", "__proto__", "é漢👩‍👧"),
);
const number = fc.oneof(
  fc.nat(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: 0, max: 1, noNaN: true }),
);
const anything = fc.jsonValue({ maxDepth: 2 });

type Schema = z.core.$ZodType;

export function arbitraryOf(schema: Schema): Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "string":
      return text.filter((t) => accepts(schema, t));
    case "number":
      return number.filter((n) => accepts(schema, n));
    case "boolean":
      return fc.boolean();
    case "enum":
      return fc.constantFrom(...Object.values(def.entries));
    case "literal":
      return fc.constantFrom(...def.values);
    case "unknown":
      return anything;
    case "array":
      return fc.array(arbitraryOf(def.element), { maxLength: 3 });
    case "record":
      return fc.dictionary(text, arbitraryOf(def.valueType), { maxKeys: 3 });
    case "nullable":
      return fc.option(arbitraryOf(def.innerType));
    case "union":
      return fc.oneof(...def.options.map(arbitraryOf));
    case "object":
      return objectOf(def.shape);
    default:
      throw new Error(`arbitraryOf knows no ${def.type}: add it`);
  }
}

/** Optional fields come and go; sometimes there is a field that nobody declared. */
function objectOf(shape: Readonly<Record<string, Schema>>): Arbitrary<unknown> {
  const fields: Record<string, Arbitrary<unknown>> = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(shape)) {
    const { def } = (field as z.core.$ZodTypes)._zod;
    fields[name] = def.type === "optional" ? arbitraryOf(def.innerType) : arbitraryOf(field);
    if (def.type !== "optional") required.push(name);
  }
  const known = fc.record(fields, { requiredKeys: required, noNullPrototype: true });
  return fc
    .tuple(known, fc.boolean(), anything)
    .map(([value, more, extra]) => (more ? { ...value, unheardOf: extra } : value));
}

const accepts = (schema: Schema, value: unknown): boolean => (schema as z.ZodType).safeParse(value).success;
