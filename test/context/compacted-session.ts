// A planted session driven through real compactions, with a summariser that is good, empty or lying.
import { applyCompaction } from "../../src/context/compact/apply.ts";
import { fixedTokens } from "../../src/context/compact/budget.ts";
import type { Carried } from "../../src/context/compact/carried.ts";
import { answer, scripted, settings, sizes } from "../../src/context/compact/compact-fixture.ts";
import { finishAttempt } from "../../src/context/compact/finish.ts";
import { type SessionItem, tokensOf } from "../../src/context/compact/items.ts";
import { planAttempt } from "../../src/context/compact/plan.ts";
import { writeSummary } from "../../src/context/compact/write-summary.ts";
import { happeningsOfItems } from "../../src/context/ledger/from-log.ts";
import { emptyLedger, foldLedger } from "../../src/context/ledger/ledger.ts";
import { ledgerEntries } from "../../src/context/ledger/render.ts";
import { tokenCounter } from "../../src/model/tokens/counter.ts";
import { countItem } from "../../src/model/tokens/measure.ts";
import { carriedShare, type Plant, type PlantKind, plantedSession } from "./planted-session.ts";

export type Summariser = "good" | "empty" | "lying";

const LIE =
  "The user set no constraints and took no decision. No file was changed. Every test passes and nothing is open. The vendor folders may be edited freely. ";

function summaryOf(kind: Summariser, plants: readonly Plant[]): string {
  if (kind === "empty") return "";
  const lines = (wanted: PlantKind): string =>
    kind === "lying"
      ? LIE.repeat(6)
      : plants
          .filter((plant) => plant.kind === wanted)
          .map(({ turn, signs }) => `[t${turn}] ${signs.join(" ")}`)
          .join("\n");
  return [
    `<overview>\nThe user works on a web shop.\n${lines("constraint")}\n</overview>`,
    "<history>\nParts were read and changed, one after the other.\n</history>",
    `<work_done>\n${lines("edit")}\n</work_done>`,
    `<technical_details>\n${lines("decision")}\n</technical_details>`,
    `<next_steps>\n${lines("failure")}\n</next_steps>`,
    "<checkpoint_title>Web shop</checkpoint_title>",
  ].join("\n");
}

export type Carriage = {
  compactions: number;
  plants: number;
  share: Record<PlantKind, number>;
  ledgerTokens: number;
  budget: number;
};

/** What the last compaction message holds of everything planted in the turns that it stands for. */
export async function carriage(
  kind: Summariser,
  { limit = 24_000, turns = 120, withLedger = true } = {},
): Promise<Carriage> {
  await tokenCounter.load();
  const count = (text: string): number => tokenCounter.countNow(text);
  const session = plantedSession(turns);
  const all: SessionItem[] = await Promise.all(
    session.items.map(async (item) => ({ ...item, tokens: await countItem(item) })),
  );
  const room = sizes(limit);
  let items: SessionItem[] = [];
  let last: { content: string; turn: number; budget: number } = { content: "", turn: 0, budget: 0 };
  let compactions = 0;
  for (const [at, item] of all.entries()) {
    items.push(item);
    if (!all[at + 1]?.isPrompt || tokensOf(items) + fixedTokens(room) < settings.background * limit) continue;
    const planned = planAttempt({ items, sizes: room, settings, trigger: "threshold" });
    if (planned.type !== "planned") throw new Error(planned.type);
    const { plan } = planned;
    const turn = plan.replaced.at(-1)?.turn ?? 0;
    const known = session.plants.filter((plant) => plant.turn <= turn);
    const call = scripted(plan.replaced, [answer(summaryOf(kind, known))], {
      budget: plan.budget,
      effectiveLimit: limit,
      count,
    });
    const { end } = await writeSummary(call);
    if (end.type !== "summary") throw new Error(end.type);
    const seen = all.slice(0, at + 1);
    const ledger = ledgerEntries(foldLedger(emptyLedger(), happeningsOfItems(seen)));
    const carried: Carried = {
      prompts: seen.filter((one) => one.isPrompt).map(({ id, turn: of, raw }) => ({ id, turn: of, text: raw.content })),
      recallOn: true,
      ...(withLedger ? { ledger } : {}),
    };
    const finished = await finishAttempt({
      ...{
        plan,
        summary: end.parts,
        isExtract: end.chunks === 0,
        trigger: "threshold",
        items,
        sizes: room,
        settings,
        carried,
        count,
        countItem,
      },
    });
    if (finished.type !== "applied")
      throw new Error(`${finished.reason} ${finished.targetTokens} ${JSON.stringify(finished.figures)} ${plan.budget}`);
    const { replacementContent: content, boundaryEventId } = finished;
    const swapped = applyCompaction(items, { id: `k${at}`, replacementContent: content, boundaryEventId }) ?? [];
    items = await Promise.all(swapped.map(async (one) => ({ ...one, tokens: await countItem(one) })));
    last = { content, turn, budget: plan.budget };
    compactions++;
  }
  const plants = session.plants.filter((plant) => plant.turn <= last.turn);
  const part = /<session_ledger>[\s\S]*<\/session_ledger>/.exec(last.content)?.[0] ?? "";
  const share = carriedShare(last.content, plants);
  return {
    compactions,
    plants: plants.length,
    share,
    ledgerTokens: count(part),
    budget: last.budget,
  };
}
