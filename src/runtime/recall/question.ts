// What a question to recall may say, from the command line or as JSON, read into the engine's own words.
import { type Failure, refusal } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { keyMeant } from "../../host/repository-key.ts";
import { KINDS, type Kind } from "../../memory/recall/item.ts";
import type { Within } from "../../memory/recall/store/scope.ts";
import type { RecallFilters } from "../client/recall.ts";
import type { Workspace } from "../workspace.ts";
import type { RecallQuery } from "./query.ts";
import { EVERYWHERE, recallPlace, SCOPES, type ScopeName, scopesOf } from "./scope.ts";
import { parseTime } from "./time.ts";

export const badQuestion = (what: string, next: string, code = "invalid_inputs") => fail(refusal(code, what, next, 2));

export const recallOff = badQuestion("Recall is off.", "Set recall.enabled to true.", "recall_off");

export const nothingOfKind = badQuestion(
  "This folder's settings keep that kind out of recall.",
  "Turn on memory.enabled, or features.subconscious for the board.",
  "memory_off",
);

export type Where = { within: Within; scope: ScopeName };

/** The person at this machine asks: within the scope, every caller's sessions. */
export function whereOf(
  ask: RecallFilters,
  { context, settings, redact }: Workspace,
  session: string | undefined,
): Result<Where, Failure> {
  const everywhere = ask.all || (ask.scope === undefined && settings.values["history.scope"] === "all");
  const name =
    ask.scope ?? (session ? "session" : ask.branch ? "branch" : ask.repo ? "repository" : everywhere ? "all" : "auto");
  const scope = SCOPES.find((one) => one === name);
  if (!scope) return badQuestion(`"${name}" is not a scope.`, `Scopes: ${SCOPES.join(", ")}.`, "invalid_scope");
  if (scope === "all") return ok({ scope, within: EVERYWHERE });
  const here = recallPlace({ redact }, context);
  const repo = ask.repo === undefined ? undefined : (keyMeant(ask.repo) ?? ask.repo);
  const scopes = scopesOf(scope, {
    ...here,
    ...optional("repository", repo ?? context.repository),
    ...optional("branch", ask.branch ?? context.branch),
    ...optional("session", session),
    memory: { repository: repo ?? here.memory.repository, branch: ask.branch ?? here.memory.branch },
  });
  if (!scopes.ok) return badQuestion(scopes.error, "Name another scope.", "invalid_scope");
  return ok({ scope, within: { scopes: scopes.value, everyone: true } });
}

/** Still without where to look. */
type Query = Omit<RecallQuery, "within" | "limit"> & { limit?: number };

export function queryOf(text: string, ask: RecallFilters): Result<Query, Failure> {
  const bounded = [ask.since, ask.until, ask.before, ask.around].some((bound) => bound !== undefined);
  if (text.trim() === "" && !bounded)
    return badQuestion("Nothing to search for.", "Give a query, or --since, --until or --around.");
  const kinds = ask.kind?.map((kind) => (kind === "memory" ? "record" : kind));
  const bad = kinds?.find((kind) => !(KINDS as readonly string[]).includes(kind));
  if (bad !== undefined) return badQuestion(`"${bad}" is not a kind.`, `Kinds: memory, ${KINDS.join(", ")}.`);
  const { order } = ask;
  if (order !== undefined && order !== "relevance" && order !== "time")
    return badQuestion(`"${order}" is not an order.`, "Orders: relevance, time.");
  const times = {
    since: parseTime(ask.since, "since"),
    before: ask.before === undefined ? parseTime(ask.until, "until") : parseTime(ask.before, "before"),
    asOf: parseTime(ask.asOf, "until"),
  };
  const written = { since: ask.since, before: ask.before ?? ask.until, asOf: ask.asOf };
  for (const name of ["since", "before", "asOf"] as const)
    if (times[name] === null)
      return badQuestion(`"${written[name]}" is not a date or time.`, "For example 2025-03-01, 7d or yesterday.");
  return ok({
    ...(text.trim() === "" ? {} : { text }),
    ...optional("kinds", kinds as Kind[] | undefined),
    ...optional("roles", ask.role),
    ...optional("since", times.since ?? undefined),
    ...optional("before", times.before ?? undefined),
    ...optional("asOf", times.asOf ?? undefined),
    ...(order === undefined ? {} : { order }),
    ...optional("limit", ask.limit === undefined ? undefined : Math.min(1000, ask.limit)),
    ...optional("cursor", ask.cursor),
    ...(ask.explain ? { explain: true } : {}),
  });
}
