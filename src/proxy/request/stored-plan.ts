// A plan whose every omission is stored and logged: what cannot be stored stays in the request.
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { type Fault, faultAt } from "../../store/fault.ts";
import type { ByteSpan, HistoryItem, ScannedBody } from "../contract.ts";
import { readable } from "../history/readable.ts";
import type { PromptQuestion, PromptQuotes, RequestPlan, RequestPlanInput } from "../plan/contract.ts";
import type { MadeCut } from "../plan/make-cut.ts";
import { plan } from "../plan/plan.ts";
import type { StorableItem } from "../remember/store-items.ts";
import type { ItemSighting } from "../store/see.ts";
import type { ProxySession } from "../store/session.ts";
import { type PlanContext, tellFault } from "./context.ts";

type Storing = {
  session: ProxySession;
  /** The lane's number is 0 while the lane is still to be made. */
  lane: number;
  /** What a cut needs first: refs. Absent: all items have theirs. */
  sight?: ItemSighting;
  /** The state block as the files say now; without it the request gets none, and the anchor is left alone. */
  state?: () => Promise<string | undefined>;
};

const MOST_ROUNDS = 6;

/**
 * Memory is searched only when all that the plan leaves out is stored and findable: before that, what a first cut takes
 * away could not be found. The anchor is made meanwhile; the cut stays as it is when both fit, and with it what was asked.
 */
export async function storedPlan(
  context: PlanContext,
  input: RequestPlanInput,
  { session, lane, state, sight }: Storing,
): Promise<Result<RequestPlan, Fault>> {
  const untouched = new Set<string>();
  // Lines are written while memory is searched; nothing leaves before they are there.
  const leaving: Promise<Result<unknown, Fault>>[] = [];
  const logged = async (draft: RequestPlan): Promise<Result<RequestPlan, Fault>> =>
    (await Promise.all(leaving)).find((outcome): outcome is Extract<typeof outcome, { ok: false }> => !outcome.ok) ??
    ok(draft);
  const stored = new Set<string>();
  /** The anchor names the first prompt, which stays in the request and may still wait to be stored. */
  const opening = input.items.filter(({ role, own }) => role === "user" && own !== undefined).slice(0, 1);
  let madeCut: MadeCut | undefined;
  let isSettled = false;
  let putOff: PromptQuestion | undefined;
  /** A search that gave nothing in its time is not asked again in other words: the request would wait twice. */
  let lost: PromptQuotes | undefined;
  const search = input.recall;
  const isStored = ({ own }: HistoryItem): boolean => own === undefined || stored.has(own);
  const recall: typeof search =
    search &&
    ((question) => {
      if (lost) return Promise.resolve(lost);
      const { takesAway, standing } = question;
      const isEarly =
        takesAway && !isSettled && !input.items.every((item) => standing.has(item.own ?? "") || isStored(item));
      putOff = isEarly ? question : undefined;
      return isEarly ? Promise.resolve({ snippets: [] }) : search(question);
    });
  for (let round = 0; ; round++) {
    const beforeCut = sight && (() => sight.take());
    const now = optional("state", await state?.());
    const draft = await plan({ ...input, recall, untouched, madeCut, beforeCut, ...now });
    if (sight?.fault) return fail(sight.fault);
    if (!draft.newEpoch) return logged(draft);
    const fresh = [...draft.dropped, ...draft.shortened].filter(({ own }) => own !== undefined && !stored.has(own));
    if (fresh.length === 0) {
      if (isSettled || !putOff) return logged(draft);
      isSettled = true;
      continue;
    }
    // A larger anchor may need a deeper cut, and what is not stored does not leave the request.
    if (round >= MOST_ROUNDS) return fail(faultAt("store_busy", session.path, "the cut did not settle"));
    const needed = new Set([...fresh, ...(state ? opening : [])]);
    const ensured = await context.remember.ensure(session, lane, [...storable([...needed], input.body)]);
    if (!ensured.ok) return ensured;
    for (const own of ensured.value.refused) untouched.add(own);
    madeCut = ensured.value.refused.length === 0 ? draft.madeCut : undefined;
    const owns = fresh.flatMap(({ own }) => (own === undefined || untouched.has(own) ? [] : [own]));
    const { fileMaxChars: maxChars } = context.settings.anchor;
    const anchoring = state && context.remember.anchor(session, owns, maxChars);
    leaving.push(context.remember.drop(session, lane, owns));
    for (const own of owns) stored.add(own);
    const [anchored, quotes] = await Promise.all([anchoring, putOff && search?.(putOff)]);
    putOff = undefined;
    if (quotes?.lost !== undefined && quotes.snippets.length === 0) lost = quotes;
    if (anchored && !anchored.ok) tellFault(context, "anchor", anchored.error);
  }
}

/** Made here, since it may wait for long: it keeps its own item and nothing else of the request. */
const storableItem = (item: HistoryItem, own: string, { start, end }: ByteSpan): StorableItem => ({
  ...{ own, wire: item.wire, bytes: end - start },
  read: () => readable(item),
});

/** Items of a request as the item store takes them, made when they are asked for; only what is in the chain is kept. */
export const storable = (
  items: readonly HistoryItem[],
  { items: spans, bytes }: ScannedBody,
): Iterable<StorableItem> & { bytes: number } => ({
  bytes: bytes.length,
  *[Symbol.iterator]() {
    for (const item of items) {
      const span = spans[item.at];
      if (item.own !== undefined && span) yield storableItem(item, item.own, span);
    }
  },
});
