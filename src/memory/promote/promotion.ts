// Promotions in the graph: one goes in as an episode with its facts, all can be listed, each can be taken back.
import { ok, type Result } from "../../base/result.ts";
import type { Episode } from "../../schema/graph.ts";
import type { Fault } from "../../store/fault.ts";
import type { EpisodeInput, Forgotten } from "../graph/contract.ts";
import type { TemporalGraph } from "../graph/graph.ts";
import { instantOf } from "../graph/time.ts";
import { type Promotion, promotionBlock, readPromotion } from "./block.ts";
import { promotedFacts } from "./fact.ts";

/** A line of a message that promotes itself is known by its turn and its number in it. */
export type DirectivePlace = { turnId: string; index: number };

type PromotionOptions = {
  /** The id of the episode. */
  id: string;
  /** The name of the workspace. */
  owner: string;
  maxChars: number;
  directive?: DirectivePlace;
};

export const promotionName = (id: string): string => `everlong.promotion.${id}`;

/** The message for a Graphiti server and the episode of the built-in graph are the same. */
export function promotionEpisode(
  promotion: Promotion,
  { id, owner, maxChars, directive }: PromotionOptions,
): EpisodeInput {
  const { kind, scope, at } = promotion;
  return {
    uuid: id,
    name: directive ? `everlong.auto_promotion.${directive.turnId}.${directive.index}` : promotionName(id),
    text: promotionBlock(promotion, maxChars),
    role: "everlong",
    roleType: "system",
    sourceDescription: `everlong:promotion:${scope}:${kind}`,
    validAt: instantOf(at) ?? at,
    metadata: { kind, scope },
    extraction: { value: promotedFacts(promotion, owner), origin: directive ? "directive" : "promotion" },
  };
}

export type StoredPromotion = Promotion & {
  id: string;
  group: string;
  /** Found as a line of a message. */
  isAuto: boolean;
  name: string;
};

/** Newest first. */
export async function listPromotions(
  { store }: TemporalGraph<unknown>,
  groups?: readonly string[],
): Promise<Result<StoredPromotion[], Fault>> {
  const episodes = await store.episodes({ promoted: true, ...(groups ? { groups } : {}) });
  if (!episodes.ok) return episodes;
  return ok(episodes.value.flatMap((episode) => storedPromotion(episode) ?? []).reverse());
}

function storedPromotion({ uuid, group, name, text, origin }: Episode): StoredPromotion | undefined {
  const promotion = readPromotion(text);
  return promotion && { ...promotion, id: uuid, group, name, isAuto: origin === "directive" };
}

type Undoing = Forgotten & {
  /** Looked for afterwards, and not there. */
  isGone: boolean;
};

/** The facts that rest on it alone go, then the episode; then both are looked for. */
export async function undoPromotion(
  { store }: TemporalGraph<unknown>,
  { id }: Pick<StoredPromotion, "id">,
): Promise<Result<Undoing, Fault>> {
  const outcome = await store.forget({ type: "episode", id });
  if (!outcome.ok) return outcome;
  const episodes = await store.episodes({ ids: [id] });
  if (!episodes.ok) return episodes;
  const facts = await store.facts({ episodes: [id] });
  if (!facts.ok) return facts;
  return ok({ ...outcome.value, isGone: episodes.value.length === 0 && facts.value.length === 0 });
}
