// The session's history as it stands in the model's window: counted, with the cut in force, against the limit.
import type { Sizes } from "../context/compact/budget.ts";
import type { SessionItem } from "../context/compact/items.ts";
import type { Cut } from "../context/truncate/cut.ts";
import { effectiveLimit } from "../context/truncate/limit.ts";
import type { TruncateInput } from "../context/truncate/truncate.ts";
import type { EpochReason } from "../context/usage/usage-info.ts";
import { ownRules } from "../model/wire/own.ts";
import type { ContextItem } from "../schema/context-item.ts";
import type { Message } from "../schema/message.ts";
import type { ToolDefinition } from "../schema/tool.ts";
import { sized } from "./log-item.ts";
import { refPrefix } from "./ref.ts";
import type { Session } from "./session.ts";

/** From here on the provider's cache of the prefix does not serve any more, and why. */
export function beginEpoch(session: Session, reason: EpochReason): void {
  const { window } = session.live;
  window.epoch = { number: window.epoch.number + 1, reason };
}

export type WindowView = {
  system: string;
  tools: readonly ToolDefinition[];
  /** Each with its calibrated size. */
  items: SessionItem[];
  sizes: Sizes;
  rawTokens: number;
  basis: "estimated" | "calibrated";
};

/** The history counted. `limit`: L of another model than the session's, when it is about to be switched to. */
export async function look(session: Session, limit = session.parts.model.promptLimit()): Promise<WindowView> {
  const { parts, state, live } = session;
  const system = state.systemText ?? "";
  const tools = parts.tools.offered().definitions;
  const measured = await parts.tokens.measure({ system, tools, items: state.items, limit });
  return {
    system,
    tools,
    items: state.items.map((item, at) => sized(item, measured.itemTokens[at] ?? 0)),
    sizes: {
      systemTokens: measured.systemTokens,
      toolDefinitionsTokens: measured.toolDefinitionsTokens,
      reserve: 0,
      effectiveLimit: effectiveLimit(
        { tokens: limit, retryBuffer: live.window.retryBuffer },
        live.window.refused?.isShort ? undefined : live.window.refused?.tokens,
      ),
    },
    rawTokens: measured.rawTokens,
    basis: measured.basis,
  };
}

/** Items that the cut shortens as they are sent: so thresholds, budgets and summary calls work on what the model sees. */
export function atCutSize(items: readonly SessionItem[], cut: Cut<Message> | undefined): SessionItem[] {
  return items.map((item) => cut?.shortened.get(item.id) ?? item);
}

/** What shaping one request needs, for the huge-item stage and the truncator. */
export function shaping(session: Session, view: WindowView): TruncateInput<Message> {
  const { parts, live } = session;
  return {
    items: view.items,
    fixedTokens: view.sizes.systemTokens + view.sizes.toolDefinitionsTokens + view.sizes.reserve,
    effectiveLimit: view.sizes.effectiveLimit,
    cut: live.window.cut,
    rules: ownRules,
    count: (item) => parts.tokens.countItem(item),
    refOf: refOf(session),
    refPrefix: refPrefix(session.agentId),
    place: "the session log",
    recallOn: parts.context.settings().recallOn,
    mode: parts.context.settings().truncation,
    target: parts.context.settings().truncationTarget,
    tokenLimit: parts.model.promptLimit(),
    toolDefinitionsTokens: view.sizes.toolDefinitionsTokens,
  };
}

export const refOf =
  (session: Session) =>
  (item: ContextItem): string =>
    `${refPrefix(session.agentId)}${session.state.refs.get(item.id) ?? `t${item.turn}`}`;
