// The shape of one row of the settings table, and the type of the value it declares.

/**
 * Who may set it: "environment" no file at all; "user" also the user's file; "trusted" also the project's file once
 * its folder is trusted (it changes what runs or where text goes); "project" also any project's file; "off" the user's
 * file, and any project's may only switch it off. Flags always may.
 */
export type SettingScope = "environment" | "user" | "trusted" | "project" | "off";

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
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
