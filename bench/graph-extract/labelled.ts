// Reads labelled messages and counts how many of their facts and endings an extraction gives, and how many it makes up.
import { readFileSync } from "node:fs";
import type { Extraction, SourceMessage } from "../../src/memory/graph/extract/draft.ts";
import { extractFacts } from "../../src/memory/graph/extract/extract.ts";
import { utcTime } from "../../src/memory/graph/extract/time.ts";

const WRITTEN_AT = "2026-03-10T12:00:00Z";

export type Statement = { edge: string; at?: string; until?: string; slot?: string };
export type LabelledMessage = {
  kind: string;
  message: SourceMessage;
  /** Facts and endings that must come, and those that may. */
  wanted: Statement[];
  allowed: string[];
};
export type Score = {
  right: number;
  wrong: string[];
  missing: string[];
  /** Right facts whose time, end or slot is another one. */
  misdated: string[];
};

export const precision = ({ right, wrong }: Score): number => right / Math.max(1, right + wrong.length);
export const recall = ({ right, missing }: Score): number => right / Math.max(1, right + missing.length);

export function readLabelled(path: string): LabelledMessage[] {
  const list: LabelledMessage[] = [];
  let kind = "";
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const [, role, text = ""] = /^(user|assistant|system|tool): (.*)$/.exec(line) ?? [];
    const [, sign, label = ""] = /^ {2}([+?-]) (.*)$/.exec(line) ?? [];
    if (line.startsWith("# ") && !line.includes(".") && !line.includes("`")) kind = line.slice(2);
    else if (role !== undefined) {
      const message = {
        role: role as SourceMessage["role"],
        at: WRITTEN_AT,
        text: text.replaceAll("\\n", "\n").replaceAll("\\t", "\t"),
      };
      list.push({ kind, message, wanted: [], allowed: [] });
    } else if (sign !== undefined) {
      const statement = readStatement(sign === "-" ? `- ${label}` : label);
      if (sign === "?") list.at(-1)?.allowed.push(statement.edge);
      else list.at(-1)?.wanted.push(statement);
    } else if (line.trim() !== "" && !line.startsWith("#")) throw new Error(`${path}: cannot read "${line}"`);
  }
  return list;
}

function readStatement(label: string): Statement {
  const [, edge = "", at, until, slot] = /^(.+?)(?: @ (\S+))?(?: \.\. (\S+))?(?: # (.+))?$/.exec(label) ?? [];
  return { edge: edge.toLowerCase(), ...(at && { at }), ...(until && { until }), ...(slot && { slot }) };
}

/** What an extraction says, in the words of the labels. */
export function statements({ facts, endings }: Extraction): Statement[] {
  return [
    ...facts.map(({ subject, relation, object, validAt, validUntil, slot }) => ({
      edge: `${subject.name} | ${relation} | ${object.name}`.toLowerCase(),
      at: validAt,
      ...(validUntil !== undefined && { until: validUntil }),
      ...(slot !== undefined && { slot }),
    })),
    ...endings.map(({ subject, relation = "", object, at }) => ({
      edge: `- ${subject.name} | ${relation} | ${object.name}`.toLowerCase(),
      at,
    })),
  ];
}

export function score(labelled: readonly LabelledMessage[]): Score {
  const total: Score = { right: 0, wrong: [], missing: [], misdated: [] };
  for (const { message, wanted, allowed } of labelled) {
    const given = statements(extractFacts(message));
    const open = new Map(wanted.map((statement) => [statement.edge, statement]));
    for (const statement of given) {
      const label = open.get(statement.edge);
      if (label) {
        total.right++;
        open.delete(statement.edge);
        if (!sameTimes(label, statement, message.at))
          total.misdated.push(`${message.text} → ${JSON.stringify(statement)}`);
      } else if (!allowed.includes(statement.edge)) total.wrong.push(`${message.text} → ${statement.edge}`);
    }
    for (const edge of open.keys()) total.missing.push(`${message.text} → ${edge}`);
  }
  return total;
}

const sameTimes = (label: Statement, given: Statement, at: string): boolean =>
  utcTime(label.at ?? at) === given.at &&
  (label.until === undefined ? given.until === undefined : utcTime(label.until) === given.until) &&
  label.slot === given.slot;
