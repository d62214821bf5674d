// The status line: mode, model, how full the window is, what runs, what it costs. A narrow screen drops from the end.
import { moneyText } from "../block/figure.ts";
import type { SessionFacts, WindowFacts } from "../state/facts.ts";
import { type SpanLine, span } from "../text/span.ts";
import { widthOf } from "../text/width.ts";
import type { Look } from "../theme/look.ts";
import { fitLine } from "./line.ts";

/** Most important first. */
const STATUS_ITEMS = [
  ...(["mode", "model", "context", "tasks", "inbox", "memory", "branch", "cost", "gateway"] as const),
] as const;
type StatusItem = (typeof STATUS_ITEMS)[number];

type StatusFacts = SessionFacts & {
  /** What the user's own command said. */
  custom?: string | undefined;
  /** Where the gateway of this home listens. */
  gateway?: string | undefined;
};

export function renderStatusLine(facts: StatusFacts, items: readonly string[], width: number, look: Look): string {
  if (facts.model === "") return fitLine([span("starting", "dim")], width, look);
  const separator = span(` ${look.glyphs.dot} `, "dim");
  const line: SpanLine[number][] = [];
  let used = 0;
  for (const name of items.length > 0 ? items : STATUS_ITEMS) {
    const parts = name === "custom" ? [] : (ITEMS[name as StatusItem]?.(facts) ?? []);
    if (parts.length === 0) continue;
    const all = line.length === 0 ? parts : [separator, ...parts];
    const more = all.reduce((sum, one) => sum + widthOf(one.text), 0);
    if (used + more > width && line.length > 0) break;
    line.push(...all);
    used += more;
  }
  if (facts.custom) line.push(separator, span(facts.custom, "dim"));
  return fitLine(line, width, look);
}

const ITEMS: Readonly<Record<StatusItem, (facts: StatusFacts) => SpanLine>> = {
  mode: ({ mode, allowAll, autopilot }) => {
    const words = mode === "autopilot" && autopilot.limit > 0 ? `${mode} ${autopilot.used}/${autopilot.limit}` : mode;
    return [
      span(words, mode === "interactive" ? "dim" : "accent", ...(mode === "interactive" ? [] : (["bold"] as const))),
      ...(allowAll ? [span(" allow-all", "warning", "bold")] : []),
    ];
  },
  model: ({ model }) => [span(model)],
  context: ({ window, compacting }) => (window ? contextItem(window, compacting !== "no") : []),
  tasks: ({ tasks: { running, idle } }) => {
    const words = [running.length > 0 ? `${running.length} running` : "", idle.length > 0 ? `${idle.length} idle` : ""];
    const text = words.filter(Boolean).join(" ");
    return text === "" ? [] : [span(text, "accent")];
  },
  inbox: ({ inbox }) => (inbox.length === 0 ? [] : [span(`inbox ${inbox.length}`, "accent")]),
  memory: ({ memory }) => [span(memory ? "memory on" : "memory off", "dim")],
  branch: ({ branch }) => (branch ? [span(branch, "dim")] : []),
  cost: ({ cost, tokens }) =>
    cost ? [span(moneyText(cost), "dim")] : tokens === 0 ? [] : [span(`${amount(tokens)} tokens`, "dim")],
  gateway: ({ gateway }) => (gateway ? [span(`gateway ${gateway}`, "dim")] : []),
};

/** Points of the window before the threshold at which the threshold is named. */
const NEAR_POINTS = 10;

function contextItem({ tokens, limit, compactsAt, effectiveLimit }: WindowFacts, isCompacting: boolean): SpanLine {
  const share = limit === 0 ? 0 : Math.floor((100 * tokens) / limit);
  const threshold = compactsAt === undefined ? undefined : Math.floor((100 * compactsAt) / limit);
  const figures = `${share}% ${amount(tokens)}/${amount(limit)}`;
  if (tokens >= effectiveLimit) return [span(`${figures} full`, "error", "bold")];
  if (threshold !== undefined && share >= threshold)
    return [span(`${figures} ${isCompacting ? "compacting" : "high"}`, "warning")];
  if (isCompacting) return [span(`${figures} compacting`, "warning")];
  if (threshold !== undefined && share >= threshold - NEAR_POINTS)
    return [span(`${figures} compacts at ${threshold}%`, "warning")];
  return [span(figures)];
}

/** `43k`, below a thousand `0.8k`, from a million `1.2M`. */
export function amount(count: number): string {
  if (count >= 1_000_000) return `${(count / 1_000_000).toFixed(1)}M`;
  if (count >= 1000) return `${Math.round(count / 1000)}k`;
  return `${(count / 1000).toFixed(1)}k`;
}
