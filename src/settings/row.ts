// The shape of one row of the settings table, and the type of the value it declares.

/**
 * Who may set it: "environment" no file at all; "user" also the user's file; "trusted" also the project's file once
 * its folder is trusted (it changes what runs or where text goes); "project" also any project's file; "off" the user's
 * file, and any project's may only switch it off. Flags always may.
 */
type SettingScope = "environment" | "user" | "trusted" | "project" | "off";

type Common = {
  /** A `*` in the key of a map stands for the name of one of its entries, and so it does in `env`. */
  key: string;
  /** Other keys for the same setting in files and commands. */
  aliases?: readonly string[];
  /** The map's entry that a key with a name in place of the star speaks of; never in the table itself. */
  entry?: string;
  /** Ours first, then aliases; a leading "!" marks a name that turns the switch off when it is true. */
  env: readonly string[];
  flags?: readonly string[];
  /** One letter for the first flag, such as "-m". */
  short?: string;
  /** The name of the flag's argument in help texts. */
  argument?: string;
  scope: SettingScope;
  secret?: true;
  /** A change works only after a restart. */
  restart?: true;
  /** What an environment value that cannot be read counts as, when it is not the default. */
  unreadable?: "off";
  /** Says what happens without a value, where the default is not a value. */
  defaultText?: string;
  help: string;
};

export type SettingRow = Common &
  (
    | { type: "boolean"; default: boolean }
    | {
        type: "integer" | "number";
        min: number;
        max: number;
        /** A value above the maximum counts as the maximum, with a warning. */
        clamp?: true;
        default: number | undefined;
      }
    | { type: "string"; default: string | undefined }
    | {
        type: "enum";
        values: readonly string[];
        /** What other programs call a value; an empty one says nothing. */
        otherNames?: Readonly<Record<string, string>>;
        default: string | undefined;
      }
    | { type: "list"; default: readonly string[] }
    /** A list that unites over all layers instead of being replaced; only arrays and repeated flags set it. */
    | { type: "rules"; default: readonly string[] }
    /** Merged by key over all layers; in the environment one `Name: value` a line. */
    | { type: "map"; default: Readonly<Record<string, string>> }
    /** A map of whole numbers; a name in the environment may hold colons. */
    | { type: "numbers"; min: number; max: number; default: Readonly<Record<string, number>> }
    /** An object whose inside belongs to the room that reads it, from the files themselves. */
    | { type: "json"; default: Readonly<Record<string, unknown>> }
  );

export type Value = boolean | number | string | readonly string[] | Readonly<Record<string, unknown>>;

type Optional<R> = R extends { default: undefined } ? undefined : never;

export type ValueOf<R> = R extends { type: "boolean" }
  ? boolean
  : R extends { type: "integer" | "number" }
    ? number | Optional<R>
    : R extends { type: "enum"; values: readonly (infer V)[] }
      ? V | Optional<R>
      : R extends { type: "list" | "rules" }
        ? readonly string[]
        : R extends { type: "map" }
          ? Readonly<Record<string, string>>
          : R extends { type: "numbers" }
            ? Readonly<Record<string, number>>
            : R extends { type: "json" }
              ? Readonly<Record<string, unknown>>
              : string | Optional<R>;

/** Timers cannot wait longer than 2^31 milliseconds. */
export const MAX_SECONDS = 2_000_000;

/** What a row may say beyond its key, variables, default and help. */
type Details = Omit<Common, "key" | "env" | "scope" | "help" | "entry">;
type Range = { min?: number; max?: number; clamp?: true };
type Variables = string | readonly string[];

/** The builders of rows that share a scope. A row reads: key, variables, default, help, and what else is true of it. */
function rowsOf(scope: SettingScope) {
  const common = <const K extends string>(key: K, env: Variables, help: string) =>
    ({ key, env: typeof env === "string" ? [env] : env, scope, help }) as const;
  const whole = { type: "integer", min: 0, max: Number.MAX_SAFE_INTEGER } as const;
  return {
    toggle: <const K extends string>(key: K, env: Variables, on: boolean, help: string, more: Details = {}) =>
      ({ ...common(key, env, help), type: "boolean", default: on, ...more }) as const,
    integer: <const K extends string, const D extends number | undefined>(
      key: K,
      env: Variables,
      fallback: D,
      help: string,
      more: Details & Range = {},
    ) => ({ ...common(key, env, help), ...whole, default: fallback, ...more }) as const,
    number: <const K extends string, const D extends number | undefined>(
      key: K,
      env: Variables,
      fallback: D,
      help: string,
      more: Details & { min: number; max: number },
    ) => ({ ...common(key, env, help), type: "number", default: fallback, ...more }) as const,
    seconds: <const K extends string>(
      key: K,
      env: Variables,
      fallback: number,
      help: string,
      more: Details & Range = {},
    ) => ({ ...common(key, env, help), type: "number", min: 0, max: MAX_SECONDS, default: fallback, ...more }) as const,
    text: <const K extends string, const D extends string | undefined>(
      key: K,
      env: Variables,
      fallback: D,
      help: string,
      more: Details = {},
    ) => ({ ...common(key, env, help), type: "string", default: fallback, ...more }) as const,
    choice: <const K extends string, const V extends readonly string[], const D extends V[number] | undefined>(
      key: K,
      env: Variables,
      values: V,
      fallback: D,
      help: string,
      more: Details & { otherNames?: Readonly<Record<string, string>> } = {},
    ) => ({ ...common(key, env, help), type: "enum", values, default: fallback, ...more }) as const,
    list: <const K extends string>(key: K, env: Variables, help: string, more: Details = {}) =>
      ({ ...common(key, env, help), type: "list", default: [], ...more }) as const,
    rules: <const K extends string>(key: K, help: string, more: Details = {}) =>
      ({ ...common(key, [], help), type: "rules", default: [], ...more }) as const,
    map: <const K extends string>(key: K, env: Variables, help: string, more: Details = {}) =>
      ({ ...common(key, env, help), type: "map", default: {}, ...more }) as const,
    numbers: <const K extends string>(key: K, env: Variables, help: string, more: Details & Range = {}) =>
      ({ ...common(key, env, help), ...whole, type: "numbers", default: {}, ...more }) as const,
    json: <const K extends string>(key: K, help: string, more: Details = {}) =>
      ({ ...common(key, [], help), type: "json", default: {}, ...more }) as const,
  };
}

export const environment = rowsOf("environment");
export const user = rowsOf("user");
export const trusted = rowsOf("trusted");
export const project = rowsOf("project");
/** Settings that a project may switch off, and never on. */
export const switchable = rowsOf("off");
