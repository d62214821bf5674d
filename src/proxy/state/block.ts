// The state block: what a session must not lose, in fixed order and bounds, in tags that no content can close.
import { inTag, type OwnTag, type PartTag } from "../../base/tag.ts";
import { recalled } from "../../context/fragment/recalled.ts";
import { isSystem } from "../../context/truncate/cut.ts";
import { contentOf, contentOfValue } from "../../model/tokens/content.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { HistoryItem, ScannedBody } from "../contract.ts";
import { clipAtLine } from "../plan/clip.ts";
import { shownAnchor } from "../remember/anchor-text.ts";
import type { StateTexts } from "./files.ts";

type StateParts = { pinned: string; agents: string; anchor: string; todo: string; spec: string };

const MOST = { pinned: 6_000, agents: 6_000, anchor: 2_500, spec: 4_000 };
/** So many characters of AGENTS.md are enough to know it again. */
const TELLTALE = 200;
const CUT = "[cut here: the rest does not fit]";
const FIRST_LINE = "What is kept for this session. This block replaces every earlier one of its kind.";

/** `known`: what the request says anyway; an AGENTS.md that stands there is not repeated. */
export function stateParts(
  texts: Pick<StateTexts, "pinned" | "summary" | "todo" | "agents">,
  options: { spec: string; todoEnabled: boolean; known: string },
): StateParts {
  const { pinned, summary, todo } = texts;
  const agents = texts.agents.trim();
  const isKnown = pinned.includes(agents) || options.known.includes(agents.slice(0, TELLTALE));
  return {
    pinned,
    agents: isKnown ? "" : agents,
    anchor: summary,
    todo: options.todoEnabled ? todo : "",
    spec: options.spec,
  };
}

/** Empty when all parts are. */
export function stateBlock(parts: StateParts, { tag, todoMaxChars }: { tag: OwnTag; todoMaxChars: number }): string {
  const bounded = (text: string, max: number): string => clipAtLine(recalled(text).trim(), max, CUT);
  const pinned = [bounded(parts.pinned, MOST.pinned), bounded(parts.agents, MOST.agents)].filter(Boolean).join("\n\n");
  const parted: [PartTag, string][] = [
    ["pinned", pinned],
    ["anchor", shownAnchor(parts.anchor, MOST.anchor, recalled)],
    ["todo", bounded(parts.todo, todoMaxChars)],
    ["spec", bounded(parts.spec, MOST.spec)],
  ];
  const shown = parted.filter(([, text]) => text !== "");
  if (shown.length === 0) return "";
  return inTag(tag, [FIRST_LINE, ...shown.map(([name, text]) => inTag(name, text))].join("\n"));
}

/** A request that still has an older block gets this one when nothing is kept any more. */
export const emptyState = (tag: OwnTag): string =>
  inTag(tag, "Nothing is kept for this session now. This block replaces every earlier one of its kind.");

/** System text and head of a request. */
export function headText({ value, wire }: ScannedBody, items: readonly HistoryItem[]): string {
  const first = items.findIndex(({ role }) => role === "assistant");
  const head = items.slice(0, first === -1 ? items.length : first);
  const systems = items.filter((item) => isSystem(item) && !head.includes(item));
  const system = wireOf(wire).request.system(value);
  return [
    ...(system === undefined ? [] : [contentOfValue(system).text]),
    ...[...head, ...systems].map((item) => contentOf(item).text),
  ].join("\n");
}
