// A client's own compaction: passed as it is when it fits, else with the lane's cut; its answer is kept.
import { optional } from "../../base/optional.ts";
import { assemble } from "../body/assemble.ts";
import type { HistoryItem } from "../contract.ts";
import { textOfAnswer } from "../history/answer.ts";
import { readable } from "../history/readable.ts";
import { sealIn } from "../history/seal.ts";
import { filtered, type Kept } from "../kept.ts";
import type { Observation } from "../observe/observer.ts";
import { plan } from "../plan/plan.ts";
import { setAnchorBase } from "../remember/anchor.ts";
import { appendEvent, dropItems } from "../remember/events.ts";
import { noteCompaction, type StoredLane } from "../store/lane.ts";
import { type Located, locateFlattened } from "../store/locate.ts";
import { compactionText } from "../store/match.ts";
import { refs } from "../store/see.ts";
import type { Session } from "../store/session.ts";
import { learnedWindow } from "../store/windows.ts";
import { budgetFor } from "./budget.ts";
import { type Asked, type Parts, type Prepared, passed, tellFault } from "./parts.ts";
import { seeables } from "./seeable.ts";

type Owner = { session: Session; lane: StoredLane };

export async function prepareCompaction(
  parts: Parts,
  kept: Kept,
  asked: Asked,
  located: Located,
  items: readonly HistoryItem[],
): Promise<Prepared> {
  const owner = await ownerOf(kept, asked, located, items);
  if (!owner) return passed("pass", { kind: "compaction" });
  const { session, lane } = owner;
  const learned = await learnedWindow(kept.store, asked.upstream, asked.model);
  const budget = budgetFor(parts, asked, learned.ok ? learned.value : undefined);
  const measured = await parts.counts.measure({ body: asked.body, items, limit: budget.usable });
  const tokensIn = measured.fixedTokens + measured.items.reduce((sum, item) => sum + item.tokens, 0);
  const note = { kind: "compaction" as const, session: session.id, lane: lane.id, window: budget.window, tokensIn };
  const common = {
    collect: true,
    recognise: { promptLimit: budget.window, estimatedTokens: tokensIn },
    answered: (seen: Observation) => keepSummary(parts, kept, asked, owner, seen),
  };
  if (tokensIn <= budget.usable) return { ...passed("pass", { ...note, tokensSent: tokensIn }), ...common };
  const refOf = refs(kept.store, session);
  const made = await plan({
    body: asked.body,
    ...measured,
    lane,
    kind: "compaction",
    mode: "normal",
    budget,
    model: asked.model,
    refOf: ({ own }) => refOf(own),
    settings: parts.settings,
  });
  const out = [...made.dropped, ...made.shortened];
  const ensured = await kept.remember.ensure(session, lane.id, seeables(out, asked.body));
  if (!ensured.ok || ensured.value.refused.length > 0) return { ...passed("skip:store", note), ...common };
  const owns = out.flatMap(({ own }) => own ?? []);
  const dropped = await dropItems(kept.store, session, lane.id, owns, "proxy");
  if (!dropped.ok) return { ...passed("skip:store", note), ...common };
  const bytes = assemble(asked.body, made.pieces);
  return {
    ...passed(made.action, {
      ...note,
      tokensSent: made.tokensSent,
      dropped: made.dropped.length,
      shortened: made.shortened.length,
      items: made.rows,
      epoch: lane.epoch,
    }),
    ...optional("bytes", bytes === asked.body.bytes ? undefined : bytes),
    ...common,
  };
}

/** Codex asks its provider to compact: nothing of it is touched, and the answer is closed to us. */
export function prepareTrigger(parts: Parts, kept: Kept, asked: Asked, { session, match }: Located): Prepared {
  if (!session || match.type === "new") return passed("pass", { kind: "trigger" });
  const { lane } = match;
  return {
    ...passed("pass", { kind: "trigger", session: session.id, lane: lane.id }),
    collect: true,
    answered: (seen) => keepSummary(parts, kept, asked, { session, lane }, seen),
  };
}

/** A history told as one text belongs to the lane whose newest prompt it contains. */
async function ownerOf(
  { store, redactor }: Kept,
  { caller }: Asked,
  { session, match }: Located,
  items: readonly HistoryItem[],
): Promise<Owner | undefined> {
  if (session && match.type !== "new") return { session, lane: match.lane };
  const text = items.map((item) => readable(item).text).join("\n");
  const found = await locateFlattened(store, caller, filtered(redactor, text) ?? "");
  return found.ok ? found.value : undefined;
}

async function keepSummary(
  parts: Parts,
  { store, redactor }: Kept,
  { body }: Asked,
  { session, lane }: Owner,
  seen: Observation,
): Promise<void> {
  const seal = sealIn(seen.records, parts.key);
  const sealed = seal === undefined ? undefined : await noteCompaction(store, session, lane, seal);
  if (sealed && !sealed.ok) tellFault(parts, "client summary", sealed.error);
  const text = filtered(redactor, textOfAnswer(body.wire, seen.records));
  if (seal !== undefined || text === undefined || text.trim() === "") return;
  for (const done of [
    await noteCompaction(store, session, lane, compactionText(text)),
    await appendEvent(store, session, { kind: "client_summary", text, lane: lane.id }),
    await setAnchorBase(store, session, text),
  ])
    if (!done.ok) tellFault(parts, "client summary", done.error);
}
