// `everlong proxy sessions|show|search|events|stats|windows|upstreams`: looking.
import type { Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { ok, type Result } from "../../base/result.ts";
import { clip, firstLine, visible } from "../../base/text.ts";
import { home, type ProxyOperations } from "../../runtime/client.ts";
import { type CommandOutcome, output } from "../contract.ts";
import { counted, grouped, minute, table } from "../format.ts";
import { findSession, type SessionTarget } from "./find-session.ts";

export type Printed = Promise<CommandOutcome>;
type Value<K extends keyof ProxyOperations> =
  Awaited<ReturnType<ProxyOperations[K]>> extends Result<infer T, Failure> ? T : never;

/** Asks, and gives the answer as it is and in words. */
export function tell<T>(
  ask: (operations: ProxyOperations) => Promise<Result<T, Failure>>,
  words: (value: T) => string,
): Printed {
  return home.proxied.withOperations(async (operations) => {
    const answer = await ask(operations);
    return answer.ok ? output(visible(words(answer.value)), answer.value) : answer;
  });
}

export function listSessions(options: { family?: string; limit: number }, q?: string): Printed {
  const query = { limit: Math.min(500, options.limit), ...optional("family", options.family), ...optional("q", q) };
  return tell(
    async (o) => {
      const page = await o.sessions(query);
      return page.ok ? ok(page.value.items) : page;
    },
    (sessions) =>
      sessions.length === 0
        ? "No session has come through the gateway yet. `everlong with AGENT` starts one."
        : table(
            sessions.map((s) => [s.id, s.family, minute(s.usedAt), counted(s.prompts, "prompt"), s.namespace ?? ""]),
          ),
  );
}

export function showSession(id: string | undefined, options: SessionTarget): Printed {
  return tell((o) => inSession(o, id, options, (one) => o.session(one)), sessionText);
}

function sessionText(s: Value<"session">): string {
  const lanes = s.lanes.map((l) => [
    `lane ${l.id}`,
    l.kind,
    counted(l.items, "item"),
    l.epoch === 0
      ? "nothing left out"
      : `epoch ${l.epoch} (${l.reason}): ${l.dropped} left out, ${l.shortened} shortened`,
    l.model ?? "",
  ]);
  const files = Object.entries(s.files).map(([name, chars]) => `${name} ${grouped(chars)}`);
  return [
    `${s.id}  ${s.family}, named by ${s.signal}${s.namespace ? `, ${s.namespace}` : ""}`,
    `first ${minute(s.createdAt)}, last ${minute(s.usedAt)}, ${counted(s.prompts, "prompt")}`,
    `in ${s.directory}`,
    `characters: ${files.join(", ")}; spec mode ${s.spec.mode}${s.spec.mode === "on" ? (s.spec.approved ? ", approved" : ", waiting for approval") : ""}`,
    table(lanes),
    statsText(s.totals),
  ].join("\n");
}

export function stats(id: string | undefined, options: SessionTarget): Printed {
  const all = id === undefined && !options.last;
  return tell((o) => (all ? o.stats() : inSession(o, id, options, (one) => o.stats(one))), statsText);
}

function statsText(t: Value<"stats">): string {
  const share = t.cachedShare === undefined ? "" : ` (${Math.round(t.cachedShare * 100)} %)`;
  const rows = [
    ["requests", grouped(t.requests)],
    ["tokens in", grouped(t.tokensIn)],
    ["tokens sent", grouped(t.tokensSent)],
    ["upstream input", grouped(t.upstreamInput)],
    ["cached input", `${grouped(t.cachedInput)}${share}`],
    ["output", grouped(t.output)],
    ["cuts, folds, retries", `${t.cuts}, ${t.folds}, ${t.retries}`],
    ["items stored", grouped(t.stored)],
    ["snippets recalled", grouped(t.recalled)],
    ["net saved", grouped(t.netSaved)],
    ...Object.entries(t.unmanaged).map(([reason, count]) => [`unmanaged: ${reason}`, grouped(count)]),
  ];
  return table(rows);
}

export function search(query: string, options: { session?: string; namespace?: string; limit: number }): Printed {
  const { session, namespace } = options;
  const limit = Math.min(100, options.limit);
  return tell(
    async (o) => {
      const id = session === undefined ? ok(undefined) : await findSession(o, session, {});
      if (!id.ok) return id;
      return o.search({ query, limit, ...optional("session", id.value), ...optional("namespace", namespace) });
    },
    ({ items, more, partial }) => {
      if (items.length === 0) return "No matches.";
      if (items[0]?.score === undefined) return items[0]?.text ?? "";
      const blocks = items.map(
        (i) => `${i.ref}  ${i.role}  ${minute(i.time ?? "")}  ${i.score?.toFixed(2)}\n${i.text}`,
      );
      const rest = [...(more > 0 ? [`${more} more`] : []), ...(partial ? ["Time ran out: there may be more."] : [])];
      return [...blocks, ...rest].join("\n\n");
    },
  );
}

export function events(
  id: string | undefined,
  options: SessionTarget & { kind?: string; after?: string; limit: number },
): Printed {
  const page = {
    limit: Math.min(500, options.limit),
    ...optional("kind", options.kind),
    ...optional("after", options.after),
  };
  return tell(
    (o) => inSession(o, id, options, (one) => o.events(one, page)),
    ({ items, next }) => {
      if (items.length === 0) return "Nothing was left out of this session's requests yet.";
      const line = (e: Readonly<Record<string, unknown>>): string[] => {
        const text = (name: string) => (typeof e[name] === "string" ? e[name] : "");
        return [minute(text("ts")), text("kind"), text("ref") || text("role"), firstLine(text("text"), 100)];
      };
      return table(items.map(line)) + (next === undefined ? "" : `\nmore: --after ${next}`);
    },
  );
}

export function windows(): Printed {
  return tell(
    (o) => o.windows(),
    (rows) =>
      rows.length === 0
        ? "No learned windows: the catalogue's are used."
        : table(
            rows.map((w) => [w.upstream, w.model, `${grouped(w.tokens)} tokens`, `learned ${minute(w.learnedAt)}`]),
          ),
  );
}

export function forgetWindow(model: string, options: { upstream?: string }): Printed {
  return tell(
    (o) => o.forgetWindow(model, options.upstream),
    ({ deleted }) => (deleted === 0 ? `No learned window for ${model}.` : `Forgotten: ${clip(model, 80)}.`),
  );
}

export function semantic(): Printed {
  return tell(
    (o) => o.semantic(),
    ({ enabled, embedder, waiting, namespaces }) =>
      [
        `searching by meaning is ${enabled ? "on" : "off"}, vectors by ${embedder}, ${counted(waiting, "passage")} waiting`,
        table(namespaces.map(({ name, sessions }) => [name, counted(sessions, "session")])),
      ]
        .join("\n")
        .trimEnd(),
  );
}

export function upstreams(): Printed {
  const about = (u: Value<"upstreams">[number]) =>
    u.problem ?? (u.key ? "with a key of its own" : "the client's own key");
  return tell(
    (o) => o.upstreams(),
    (rows) => table(rows.map((u) => [u.name, u.url, about(u)])),
  );
}

export async function inSession<T>(
  operations: ProxyOperations,
  wanted: string | undefined,
  chosen: SessionTarget,
  work: (id: string) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const id = await findSession(operations, wanted, chosen);
  return id.ok ? work(id.value) : id;
}
