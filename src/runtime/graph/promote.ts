// Promotion by a person: text becomes typed facts of the workspace or the user, a preference also a pin; all of it can be undone.

import type { Failure } from "../../base/failure.ts";
import { newId } from "../../base/id.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import { repositoryKey } from "../../host/git.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import { addPin, endPinsFrom, MAX_PIN_CHARS } from "../../memory/pin/pin.ts";
import type { Promotion } from "../../memory/promote/block.ts";
import { secretIn } from "../../memory/promote/guard.ts";
import { isPromotionScope, kindNamed, PROMOTION_KINDS, PROMOTION_SCOPES, scopeOf } from "../../memory/promote/kind.ts";
import {
  type DirectivePlace,
  listPromotions,
  promotionEpisode,
  promotionName,
  type StoredPromotion,
  undoPromotion,
} from "../../memory/promote/promotion.ts";
import { type Database, write } from "../../store/sqlite.ts";
import type { GraphAccess, PromotionRequest, PromotionView } from "../client/graph.ts";
import type { ResultPromise } from "../client/open.ts";
import { pinOwner } from "../pin/owner.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import { redactorOf, type Workspace } from "../workspace.ts";
import { refused } from "./choice.ts";
import { type GraphGroup, groupsOf, userGroup } from "./feed.ts";
import { sendWaiting } from "./graphiti-access.ts";
import {
  outgoingPromotions,
  promotionServer,
  promotionState,
  queuePromotion,
  withdrawPromotion,
} from "./promote-elsewhere.ts";

/** Without a graph promotions go to the Graphiti server alone. */
type Graph = TemporalGraph<unknown> | undefined;

export function promoting(
  workspace: Workspace,
  graph: Graph,
  db: Database,
): Pick<GraphAccess, "promote" | "promotions" | "undo"> {
  const inShell = (what: string) => refuseInToolShell(workspace.env, what);
  return {
    async promote(request) {
      const shell = inShell("promote");
      if (shell) return fail(shell);
      const promotion = promotionOf(workspace, request, new Date().toISOString());
      if (!promotion.ok) return promotion;
      const stored = await storePromotion(workspace, graph, db, promotion.value);
      if (!stored.ok || stored.value.state !== "queued") return stored;
      await sendWaiting(workspace, db);
      return ok({ ...stored.value, state: promotionState(db, promotionName(stored.value.id)) });
    },
    async promotions({ scope }) {
      if (scope !== undefined && scope !== "all" && !isPromotionScope(scope)) return unknownScope(scope);
      const groups = promotionGroups(workspace).filter((group) => scope === undefined || group.scope === scope);
      const rows = await allPromotions(graph, db, scope === "all" ? undefined : groups.map(({ id }) => id));
      return rows.ok ? ok(rows.value.map((row) => viewOf(db, row))) : rows;
    },
    async undo(id) {
      const shell = inShell("undo a promotion");
      if (shell) return fail(shell);
      const groups = id === undefined ? promotionGroups(workspace).map((group) => group.id) : undefined;
      const rows = await allPromotions(graph, db, groups);
      if (!rows.ok) return rows;
      const matches = id === undefined ? rows.value.slice(0, 1) : rows.value.filter((row) => row.id.startsWith(id));
      const [promotion, another] = matches;
      if (!promotion) return refused("not_found", "No such promotion.", "everlong graph promotions lists them.");
      if (another) return refused("ambiguous", `Several ids begin with ${id}.`, "Give more of the id.");
      return takeBack(workspace, graph, db, promotion);
    },
  };
}

/** Newest first: those of the graph, and those that only the Graphiti server has or is to have. */
async function allPromotions(
  graph: Graph,
  db: Database,
  groups: readonly string[] | undefined,
): ResultPromise<StoredPromotion[]> {
  const stored = graph ? await listPromotions(graph, groups) : ok([]);
  if (!stored.ok) return stored;
  const names = new Set(stored.value.map(({ name }) => name));
  const others = outgoingPromotions(db, groups).filter(({ name }) => !names.has(name));
  return ok([...stored.value, ...others].sort((a, b) => Date.parse(b.at) - Date.parse(a.at)));
}

/** Why it cannot be promoted, or what is. */
function promotionOf(
  workspace: Workspace,
  { kind: name, scope, text, redact }: PromotionRequest,
  at: string,
): Result<Promotion, Failure> {
  const kind = kindNamed(name);
  if (!kind) return refused("usage", `There is no kind "${name}".`, `Use one of: ${PROMOTION_KINDS.join(", ")}.`, 2);
  if (scope !== undefined && !isPromotionScope(scope)) return unknownScope(scope);
  const words = text.trim();
  if (words === "") return refused("usage", "Nothing to promote.", "Give the text, or pipe it in.", 2);
  const promotion = { kind, scope: scope ?? scopeOf(kind, words), at, text: words };
  const rule = secretIn(redactorOf(workspace), words);
  if (rule === undefined) return ok(promotion);
  if (!redact)
    return refused(
      "secret",
      `The text contains a secret (${rule}).`,
      "Remove it, or add --redact to promote the rest.",
    );
  if (promotion.scope === "user")
    return refused("secret", "Redacted text is promoted to the workspace only.", "Use --scope workspace.");
  return ok({ ...promotion, text: workspace.redact(words) });
}

const unknownScope = (scope: string) =>
  refused("usage", `There is no scope "${scope}".`, `Use one of: ${PROMOTION_SCOPES.join(", ")}.`, 2);

/** The graph and the server, and a pin for a preference. The same directive again is the first one. */
export async function storePromotion(
  workspace: Workspace,
  graph: Graph,
  db: Database,
  promotion: Promotion,
  directive?: DirectivePlace,
): ResultPromise<PromotionView> {
  const group = promotionGroups(workspace).find(({ scope }) => scope === promotion.scope);
  if (!group) throw new Error(`no group for the scope ${promotion.scope}`);
  const id = newId();
  const { redact, settings, context } = workspace;
  const owner = redact(repositoryKey(context.cwd)).split("/").at(-1) ?? "workspace";
  const maxChars = settings.values["memory.graphiti.maxMessageChars"];
  const episode = promotionEpisode(promotion, { id, owner, maxChars, ...(directive ? { directive } : {}) });
  if (!graph && (await promotionServer(workspace, db)) === undefined) return nowhere();
  const accepted = await graph?.accept({
    group: group.id,
    place: group.place,
    origin: directive ? "directive" : "promotion",
    episodes: [episode],
  });
  if (accepted && !accepted.ok) return accepted;
  const queued = await queuePromotion(workspace, db, group, episode);
  if (!queued.ok) return queued;
  if (!graph && !queued.value) return nowhere();
  const uuid = accepted?.value.type === "accepted" ? (accepted.value.episodes[0]?.uuid ?? id) : id;
  if (promotion.kind === "preference") {
    const pinned = await write(db, () =>
      addPin(db, {
        text: clip(promotion.text, MAX_PIN_CHARS),
        origin: "promotion",
        owner: pinOwner(workspace, promotion.scope === "user" ? "user" : "repository"),
        source: uuid,
        now: promotion.at,
      }),
    );
    if (!pinned.ok) return pinned;
  }
  const { name } = episode;
  return ok(viewOf(db, { ...promotion, id: uuid, group: group.id, name, isAuto: directive !== undefined }));
}

const nowhere = () =>
  refused(
    "graph_off",
    "The graph is off and no Graphiti server is ready, so there is nowhere to promote to.",
    "Switch the graph on: everlong settings set graph.enabled true. Or see everlong graph status for the server.",
  );

async function takeBack(
  workspace: Workspace,
  graph: Graph,
  db: Database,
  promotion: StoredPromotion,
): ReturnType<GraphAccess["undo"]> {
  const pins = await write(db, () => endPinsFrom(db, promotion.id));
  if (!pins.ok) return pins;
  const before = viewOf(db, promotion);
  const server = await withdrawPromotion(workspace, db, promotion.name);
  if (!server.ok) return server;
  const undone = graph ? await undoPromotion(graph, promotion) : ok({ facts: 0, isGone: true });
  if (!undone.ok) return undone;
  return ok({
    promotion: before,
    facts: undone.value.facts,
    pins: pins.value,
    isGone: undone.value.isGone,
    isElsewhere: server.value.type === "unsure",
    ...(server.value.type === "unsure" ? { stillThere: server.value.why } : {}),
    ...(server.value.type === "gone" ? { serverFacts: server.value.facts } : {}),
  });
}

/** Where a person may promote to. */
const promotionGroups = (workspace: Workspace): GraphGroup[] => {
  const repository = workspace.redact(repositoryKey(workspace.context.cwd));
  const own = groupsOf(workspace, { session: "", repository }).filter(({ scope }) => scope === "workspace");
  return [...own, userGroup(workspace)];
};

const viewOf = (db: Database, { id, kind, scope, text, at, isAuto, name }: StoredPromotion): PromotionView => ({
  id,
  kind,
  scope,
  text,
  at,
  auto: isAuto,
  state: promotionState(db, name),
});
