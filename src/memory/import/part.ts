// The parts that readers give, in short: sessions, items of each kind, and what was left out.
import { isRecord } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import type { HistorySession, ImportedItem, ItemOrigin, ParsedPart } from "./contract.ts";
import { argsOf, timeOf } from "./read.ts";

export const item = (value: ImportedItem): ParsedPart => ({ type: "item", item: value });
export const skipped = (what: string): ParsedPart => ({ type: "skipped", what });
export const inSession = (session: HistorySession): ParsedPart => ({ type: "session", session });

/** The items of a line, or what was skipped; then its id, if later lines may name it. */
export const itemsOrSkipped = (items: readonly ImportedItem[], what: string, id?: string): ParsedPart[] => [
  ...(items.length === 0 ? [skipped(what)] : items.map(item)),
  ...(id === undefined ? [] : [{ type: "passed" as const, id }]),
];

type SessionFields = { [K in Exclude<keyof HistorySession, "id">]: string | undefined };

/** A session with what is known of it. */
export const sessionWith = (id: string, { cwd, branch, remote, model }: Partial<SessionFields>): HistorySession => ({
  id,
  ...{ ...optional("cwd", cwd), ...optional("branch", branch) },
  ...{ ...optional("remote", remote), ...optional("model", model) },
});

/** The session that lines belong to: told when it begins, and again whenever what is known of it changes. */
export class SessionTrail {
  session: HistorySession | undefined;

  /** `carry`: where an earlier reading of the same file ended. */
  constructor(carry: unknown) {
    this.session = isRecord(carry) ? (carry as HistorySession) : undefined;
  }

  move(next: HistorySession): ParsedPart[] {
    const last = this.session;
    this.session = next;
    const isSame = last && FIELDS.every((name) => last[name] === next[name]);
    return isSame ? [] : [inSession(next)];
  }
}

const FIELDS = ["id", "cwd", "branch", "remote", "model"] as const satisfies (keyof HistorySession)[];

export const originOf = (line: number | string, time: unknown, agent?: string): ItemOrigin => ({
  line,
  ...optional("time", timeOf(time)),
  ...optional("agent", agent),
});

/** What a person typed; none when all of it was the client's. */
export const promptItems = (text: string, id: string, origin: ItemOrigin, parent?: string): ImportedItem[] =>
  text === "" ? [] : [{ ...origin, id, kind: "user", text, ...optional("parent", parent) }];

/** What the model said; none when it said nothing. */
export const answerItems = (text: string, id: string, origin: ItemOrigin, model?: string): ImportedItem[] =>
  text === "" ? [] : [{ ...origin, id, kind: "assistant", text, ...optional("model", model) }];

/** A call of a tool; `call` is what its result will name. */
export const callItem = (
  id: string,
  origin: ItemOrigin,
  { call, name, args }: { call: string | undefined; name: string | undefined; args: unknown },
): ImportedItem => ({ ...origin, id, kind: "call", call: call ?? id, name: name ?? "tool", args: argsOf(args) });
