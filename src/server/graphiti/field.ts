// Fields of a request as Graphiti's server reads them: what pydantic accepts is accepted, and refused in its words.
import { isRecord } from "../../base/json.ts";

export type FieldProblem = {
  type: string;
  loc: (string | number)[];
  msg: string;
  input: unknown;
  ctx?: Readonly<Record<string, unknown>>;
};
type Loc = readonly (string | number)[];

export type JsonSchema = Readonly<Record<string, unknown>>;
/** Reads one value: gives it back in our form, or adds what is wrong with it to the problems. */
type Read<T> = (input: unknown, loc: Loc, problems: FieldProblem[]) => T | undefined;
/** It says to a client generator what it takes. */
export type Field<T> = Read<T> & { schema: JsonSchema };

export const fieldOf = <T>(schema: JsonSchema, read: Read<T>): Field<T> => Object.assign(read, { schema });

export const problem = (
  type: string,
  loc: Loc,
  msg: string,
  input: unknown,
  ctx?: Readonly<Record<string, unknown>>,
): FieldProblem => ({ type, loc: [...loc], msg, input, ...(ctx ? { ctx } : {}) });

export const missing = (loc: Loc, input: unknown): FieldProblem => problem("missing", loc, "Field required", input);

export const textField = fieldOf<string>({ type: "string" }, (input, loc, problems) => {
  // Half of a character has no form that can be stored.
  if (typeof input === "string") return input.toWellFormed();
  problems.push(problem("string_type", loc, "Input should be a valid string", input));
  return undefined;
});

export const boundedText = (max: number): Field<string> =>
  fieldOf({ type: "string", maxLength: max }, (input, loc, problems) => {
    const text = textField(input, loc, problems);
    if (text === undefined || lengthOf(text, max) <= max) return text;
    const msg = `String should have at most ${max} characters`;
    problems.push(problem("string_too_long", loc, msg, input, { max_length: max }));
    return undefined;
  });

/** In characters, not in UTF-16 units; counted only where that can make a difference. */
const lengthOf = (text: string, max: number): number => (text.length <= max ? text.length : [...text].length);

const GROUP_PATTERN = "^[a-zA-Z0-9_-]{1,128}$";
const GROUP = new RegExp(GROUP_PATTERN);
/** An empty id is a group like any other, under a name that can be stored. */
const UNNAMED = "_";

/** The empty text is taken, too. */
export const groupField = fieldOf<string>({ type: "string", maxLength: 128 }, (input, loc, problems) => {
  const text = textField(input, loc, problems);
  if (text === undefined) return undefined;
  if (text === "") return UNNAMED;
  if (GROUP.test(text)) return text;
  const msg = `String should match pattern '${GROUP_PATTERN}'`;
  problems.push(problem("string_pattern_mismatch", loc, msg, input, { pattern: GROUP_PATTERN }));
  return undefined;
});

export const literalField = <const T extends string>(...values: readonly T[]): Field<T> =>
  fieldOf({ type: "string", enum: values }, (input, loc, problems) => {
    const value = values.find((one) => one === input);
    if (value !== undefined) return value;
    const names = values.map((one) => `'${one}'`);
    const expected = [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" or ");
    problems.push(problem("literal_error", loc, `Input should be ${expected}`, input, { expected }));
    return undefined;
  });

const INTEGER = "Input should be a valid integer";

/** As pydantic's lax mode: `true`, `5.0`, `"5"` and `" 5.0 "` are integers. */
export const integerField = fieldOf<number>({ type: "integer" }, (input, loc, problems) => {
  if (typeof input === "boolean") return Number(input);
  if (typeof input === "number") {
    if (!Number.isFinite(input)) {
      problems.push(problem("finite_number", loc, "Input should be a finite number", input));
      return undefined;
    }
    if (Number.isInteger(input)) return input;
    problems.push(problem("int_from_float", loc, `${INTEGER}, got a number with a fractional part`, input));
    return undefined;
  }
  if (typeof input === "string") {
    if (/^\s*[+-]?\d+(?:_\d+)*(?:\.0+)?\s*$/.test(input)) return Number(input.replaceAll("_", ""));
    problems.push(problem("int_parsing", loc, `${INTEGER}, unable to parse string as an integer`, input));
    return undefined;
  }
  problems.push(problem("int_type", loc, INTEGER, input));
  return undefined;
});

export const booleanField = fieldOf<boolean>({ type: "boolean" }, (input, loc, problems) => {
  if (typeof input === "boolean") return input;
  if (input === 0 || input === 1) return input === 1;
  if (typeof input === "string" && /^(true|t|yes|y|on|1|false|f|no|n|off|0)$/i.test(input))
    return /^(true|t|yes|y|on|1)$/i.test(input);
  const msg = "Input should be a valid boolean, unable to interpret input";
  problems.push(problem("bool_parsing", loc, msg, input));
  return undefined;
});

export const nullable = <T>(field: Field<T>): Field<T | null> =>
  fieldOf({ anyOf: [field.schema, { type: "null" }] }, (input, loc, problems) =>
    input === null ? null : field(input, loc, problems),
  );

export const listOf = <T>(field: Field<T>, max: number): Field<T[]> =>
  fieldOf({ type: "array", items: field.schema, maxItems: max }, (input, loc, problems) => {
    if (!Array.isArray(input)) {
      problems.push(problem("list_type", loc, "Input should be a valid list", input));
      return undefined;
    }
    const { length } = input;
    if (length > max) {
      const msg = `List should have at most ${max} items after validation, not ${length}`;
      const ctx = { field_type: "List", max_length: max, actual_length: length };
      problems.push(problem("too_long", loc, msg, input, ctx));
      return undefined;
    }
    const before = problems.length;
    const values = input.map((value, i) => field(value, [...loc, i], problems));
    return problems.length > before ? undefined : (values as T[]);
  });

type FieldSpec<T> = { field: Field<T> /** Absent: the field has to be there. */; missing?: () => T };
type Specs = Readonly<Record<string, FieldSpec<unknown>>>;
type ModelOf<S extends Specs> = { [K in keyof S]: S[K] extends FieldSpec<infer T> ? T : never };

export const required = <T>(field: Field<T>): FieldSpec<T> => ({ field });
export const withDefault = <T>(field: Field<T>, value: T | (() => T)): FieldSpec<T> => ({
  field,
  missing: () => (typeof value === "function" ? (value as () => T)() : value),
});

/** All that is wrong, in the order of the fields; fields of other names do not count. */
export const model = <S extends Specs>(specs: S): Field<ModelOf<S>> =>
  fieldOf(objectSchema(specs), (input, loc, problems) => {
    if (!isRecord(input)) {
      const msg = "Input should be a valid dictionary or object to extract fields from";
      problems.push(problem("model_attributes_type", loc, msg, input));
      return undefined;
    }
    const before = problems.length;
    const values: Record<string, unknown> = {};
    for (const [name, spec] of Object.entries(specs)) {
      if (Object.hasOwn(input, name)) values[name] = spec.field(input[name], [...loc, name], problems);
      else if (spec.missing) values[name] = spec.missing();
      else problems.push(missing([...loc, name], input));
    }
    return problems.length > before ? undefined : (values as ModelOf<S>);
  });

const objectSchema = (specs: Specs): JsonSchema => ({
  type: "object",
  properties: Object.fromEntries(Object.entries(specs).map(([name, { field }]) => [name, field.schema])),
  required: Object.keys(specs).filter((name) => !specs[name]?.missing),
});
