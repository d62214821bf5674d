// Flags that set settings: what a command line offers, and reading what it was given.
import type { Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { seenValue } from "./complaint.ts";
import type { CheckRule } from "./file-layer.ts";
import { expectation, parseValue } from "./parse.ts";
import { RANK, type SettingCandidate } from "./resolve.ts";
import { type SettingKey, settingsTable } from "./table.ts";

type FlagValue = string | boolean | readonly string[];
/** What the command line gave, by setting key. */
export type Flags = Readonly<Partial<Record<SettingKey, FlagValue>>>;

type FlagOption = {
  key: SettingKey;
  name: string;
  /** Its one-letter form. */
  short?: string;
  help: string;
  /** The name of its argument; a flag without one sets `value`. */
  argument?: string;
  value?: boolean;
  /** May be given several times: the value is an array. */
  repeat: boolean;
};

export function flagOptions(): FlagOption[] {
  return settingsTable.flatMap((row) =>
    (row.flags ?? []).map((name, i) => ({
      key: row.key,
      name,
      ...(row.short && i === 0 ? { short: row.short } : {}),
      help: row.help,
      repeat: row.type === "rules",
      ...(row.argument ? { argument: row.argument } : { value: !name.startsWith("--no-") }),
    })),
  );
}

export function readFlags(flags: Flags, checkRule?: CheckRule): Result<SettingCandidate[], Failure> {
  const candidates: SettingCandidate[] = [];
  for (const row of settingsTable) {
    const raw = flags[row.key];
    if (raw === undefined) continue;
    const name = row.flags?.[0] ?? row.key;
    const value = parseValue(row, raw);
    if (value === undefined) return fail(badFlag(`${name} must be ${expectation(row)}${seenValue(row, raw)}.`));
    const reason =
      row.type === "rules" &&
      checkRule &&
      strings(value)
        .map(checkRule)
        .find((r) => r !== undefined);
    if (reason) return fail(badFlag(`${name}: ${reason}.`));
    candidates.push({ row, value, rank: RANK.flag, source: "flag" });
  }
  return ok(candidates);
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value : [];
}

function badFlag(what: string): Failure {
  return { code: "bad_flag", what, data: "Nothing was started.", next: "See `everlong --help`.", exit: 2 };
}
