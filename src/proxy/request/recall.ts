// What may come back for a prompt: the session's own items that are no longer sent, and the repository's by meaning.
import { optional } from "../../base/optional.ts";
import { pinLine } from "../../memory/pin/line.ts";
import { PIN_USER } from "../../memory/pin/pin.ts";
import { vectorLoss } from "../../memory/recall/embed/query-vector.ts";
import { SAID } from "../../memory/recall/item.ts";
import type { RecalledLine } from "../../memory/recall/recalled-block.ts";
import { readableText, type SearchResult } from "../../memory/recall/result.ts";
import type { Within } from "../../memory/recall/store/scope.ts";
import { isSearchedAgain, NO_VECTOR, VECTORS_LATE, VECTORS_PAUSED } from "../../schema/recall-loss.ts";
import type { HistoryItem, RequestCaller } from "../contract.ts";
import { queryOf } from "../history/query.ts";
import { OWNER } from "../identify/run.ts";
import type { PromptQuestion, PromptQuotes, RequestPlanInput } from "../plan/contract.ts";
import type { QuotedSnippet } from "../plan/recall-block.ts";
import { type ProxySession, recallId } from "../store/session.ts";
import type { PlanContext } from "./context.ts";

/** What a session itself said. */
export const withinSession = ({ identity, id }: ProxySession): Within => ({
  identity,
  scopes: [{ type: "session", session: id }],
});

const SNIPPET_CHARS = 1200;
const MEANING_CHARS = 512;
const TOO_LONG = { code: "timeout", message: "the search took too long" };
/** What a cut takes away is worth a wait: without the quotes the model would have to guess. */
const AT_A_CUT_MS = 1000;

/** Asked at most once for each question, however often the request is planned. */
export function recallFor(
  context: PlanContext,
  session: ProxySession,
  caller: RequestCaller,
  items: readonly HistoryItem[],
): NonNullable<RequestPlanInput["recall"]> {
  const answers = new Map<string, Promise<PromptQuotes>>();
  return (ask) => {
    const question = [ask.session, ask.namespace, ask.takesAway, ask.prompt.id, ...ask.standing].join(" ");
    const answer = answers.get(question) ?? look(context, session, caller, items, ask);
    answers.set(question, answer);
    return answer;
  };
}

async function look(
  { settings, clock, emit, recall, pins: pinsOf }: PlanContext,
  session: ProxySession,
  caller: RequestCaller,
  items: readonly HistoryItem[],
  ask: PromptQuestion,
): Promise<PromptQuotes> {
  const query = queryOf(items);
  const pins = pinsFor({ settings, pins: pinsOf }, session, caller);
  if (query.text === "") return { snippets: [], ...optional("pins", pins) };
  const start = clock.monotonic();
  const common = {
    now: Date.parse(clock.now()),
    snippetChars: SNIPPET_CHARS,
    floor: true,
    exclude: [...ask.standing].map((own) => recallId(session, own)),
  };
  const { timeoutMs } = settings.recall;
  const limits = { timeoutMs: ask.takesAway ? Math.max(timeoutMs, AT_A_CUT_MS) : timeoutMs };
  const { identity } = session;
  const { namespace } = caller;
  const own =
    ask.session &&
    recall.search(
      {
        ...common,
        text: query.text,
        hints: query.hints,
        within: withinSession(session),
        // A fact of the session would repeat words that may still stand in the request.
        kinds: SAID,
        limit: settings.recall.maxSnippets,
      },
      limits,
    );
  const near =
    ask.namespace &&
    namespace !== undefined &&
    recall.search(
      {
        ...common,
        text: query.text.slice(0, MEANING_CHARS),
        within: {
          identity,
          scopes: [{ type: "repository", repository: namespace }],
          ...optional("reach", caller.reach),
        },
        // Memories belong to the owner of the home, or to the members of the team: who only names the repository gets none.
        ...(caller.identity === OWNER || caller.reach ? {} : { kinds: SAID }),
        limit: settings.semantic.maxSnips,
      },
      limits,
    );
  const snippets: QuotedSnippet[] = [];
  const losses: string[] = [];
  for (const [from, pending] of [["session", own] as const, ["namespace", near] as const]) {
    const answer = pending && (await pending);
    if (!answer) continue;
    if (!answer.ok || answer.value.skipped.includes("all")) {
      const { code, message } = answer.ok ? TOO_LONG : answer.error;
      emit({ type: "proxy.soft_failure", data: { part: "recall", code, message, session: session.id } });
      losses.unshift(code);
      continue;
    }
    const vectors = vectorLoss(answer.value.skipped);
    // An embedder that is left alone for a while has been reported by the searches that it failed.
    if (vectors === "late")
      emit({ type: "proxy.soft_failure", data: { part: "recall", ...NO_VECTOR, session: session.id } });
    if (vectors !== undefined) losses.push(vectors === "late" ? VECTORS_LATE : VECTORS_PAUSED);
    for (const result of answer.value.results.filter((one) => !isPast(one)))
      if (!snippets.some(({ ref }) => ref === refOf(result))) snippets.push(shown(result, from));
  }
  // A search that failed as a whole stands first; what may yet be found stands before what may not.
  const lost = losses.find(isSearchedAgain) ?? losses[0];
  const durationMs = Math.round(clock.monotonic() - start);
  const scope = own && near ? "session, namespace" : own ? "session" : "namespace";
  if (own || near)
    emit({
      type: "recall.completed",
      data: { caller: "proxy", scope, results: snippets.length, partial: lost !== undefined, durationMs },
    });
  return { snippets, ...optional("pins", pins), ...optional("lost", lost) };
}

/** Pins belong to the owner of the home, too. */
function pinsFor(
  { settings, pins }: Pick<PlanContext, "settings"> & { pins: PlanContext["pins"] },
  session: ProxySession,
  { identity, namespace }: RequestCaller,
): RecalledLine[] | undefined {
  if (!settings.pins || !pins || identity !== OWNER) return undefined;
  const owners = [
    { level: "session" as const, owner: session.id },
    ...(namespace === undefined ? [] : [{ level: "repository" as const, owner: namespace }]),
    { level: "user" as const, owner: PIN_USER },
  ];
  return pins(owners).map(pinLine);
}

const refOf = ({ source, ref, id }: SearchResult): string => (ref ? `${source.session ?? ""}:${ref}` : id);

/** A fact that has ended would be taken for one that is true. */
const isPast = ({ kind, role }: SearchResult): boolean => kind === "fact" && role === "ended";

function shown(result: SearchResult, from: QuotedSnippet["from"]): QuotedSnippet {
  const { kind, time, score, parts } = result;
  const role = kind === "fact" ? "fact" : result.role;
  const text = readableText(result, "\n…\n");
  const at = time === undefined ? {} : { time: kind === "fact" ? `since ${time.slice(0, 10)}` : time };
  return { text, ref: refOf(result), role, ...at, score, parts, from };
}
