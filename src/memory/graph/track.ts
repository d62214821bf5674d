// Facts of one track over time: what was said becomes intervals that never overlap, whatever order it arrived in.
import type { Instant } from "../../schema/graph.ts";

/** A statement that something is so, or no longer so, with the time it speaks of. */
export type Statement = {
  type: "so" | "ended";
  /** The entity that the track's subject is related to, and its name, which orders statements of one moment. */
  object: string;
  name: string;
  at: Instant;
  until?: Instant;
  text: string;
  episode: string;
  /** The fact that holds it already. */
  fact?: string;
};
export type Interval = {
  object: string;
  text: string;
  from: Instant;
  until?: Instant;
  /** What ended it, when a statement did. */
  endedBy?: Statement;
  statements: Statement[];
};

export function intervalsOf(statements: readonly Statement[]): Interval[] {
  const intervals: Interval[] = [];
  for (const statement of [...statements].sort(inOrder)) {
    const last = intervals.at(-1);
    const isOpen = last !== undefined && (last.until === undefined || statement.at < last.until);
    if (statement.type === "ended") {
      if (isOpen && last.object === statement.object) end(last, statement);
    } else if (isOpen && last.object === statement.object) {
      last.statements.push(statement);
      if (last.until === undefined && statement.until !== undefined) last.until = statement.until;
    } else {
      if (isOpen) end(last, statement);
      const { object, text, at: from, until } = statement;
      intervals.push({ object, text, from, ...(until === undefined ? {} : { until }), statements: [statement] });
    }
  }
  return intervals;
}

function end(interval: Interval, statement: Statement): void {
  interval.until = statement.at;
  interval.endedBy = statement;
}

/** At one moment what ends comes before what begins; the rest is by content, never by arrival. */
function inOrder(a: Statement, b: Statement): number {
  return (
    compare(a.at, b.at) ||
    compare(a.type, b.type) ||
    compare(a.name, b.name) ||
    compare(a.text, b.text) ||
    compare(a.episode, b.episode)
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
