// Before and after as two bars: each item as wide as its tokens, in the colour of what happened to it.
import type { RequestItem } from "../../../src/schema/api/request.ts";
import { compact, count } from "../../part/figure.tsx";

type Segment = { at: number; width: number; mark: RequestItem["mark"]; tokens: number; title: string };
const WIDE = 1000;
/** So many at most are drawn; neighbours of the same mark are one segment anyway. */
const MOST = 600;

function segments(items: readonly RequestItem[], of: (item: RequestItem) => boolean, scale: number): Segment[] {
  const list: Segment[] = [];
  let at = 0;
  for (const item of items) {
    if (!of(item)) continue;
    const width = item.tokens * scale;
    const last = list.at(-1);
    if (last && last.mark === item.mark && (item.mark === "kept" || list.length > MOST)) {
      last.width += width;
      last.tokens += item.tokens;
      last.title = `${last.mark}, ${count(last.tokens)} tokens`;
    } else
      list.push({
        at,
        width,
        mark: item.mark,
        tokens: item.tokens,
        title: `${item.mark}: ${item.role} ${item.kind}, ${count(item.tokens)} tokens`,
      });
    at += width;
  }
  return list;
}

const isAsked = (item: RequestItem): boolean => item.mark !== "injected";
const isSent = (item: RequestItem): boolean => item.mark !== "trimmed";
const sum = (items: readonly RequestItem[]): number => items.reduce((total, item) => total + item.tokens, 0);

export function Strip({ items, window: limit }: { items: readonly RequestItem[]; window?: number | undefined }) {
  const askedTokens = sum(items.filter(isAsked));
  const sentTokens = sum(items.filter(isSent));
  const most = Math.max(askedTokens, sentTokens, 1);
  const scale = WIDE / most;
  const rows = [
    { name: "Asked", tokens: askedTokens, list: segments(items, isAsked, scale) },
    { name: "Sent", tokens: sentTokens, list: segments(items, isSent, scale) },
  ];
  const edge = limit !== undefined && limit < most ? limit * scale : undefined;
  return (
    <figure class="strip" aria-label={`History: ${count(askedTokens)} tokens asked, ${count(sentTokens)} sent`}>
      {rows.map(({ name, tokens, list }) => (
        <div key={name} class="strip-row">
          <span class="strip-name">{name}</span>
          <svg viewBox={`0 0 ${WIDE} 14`} preserveAspectRatio="none" role="presentation">
            {list.map((one, index) => (
              <rect
                key={index}
                class={`is-${one.mark}`}
                x={one.at}
                y={0}
                width={Math.max(one.width - 0.8, 0.6)}
                height={14}
              >
                <title>{one.title}</title>
              </rect>
            ))}
            {edge !== undefined && <line class="strip-edge" x1={edge} x2={edge} y1={0} y2={14} />}
          </svg>
          <span class="strip-figure">{compact(tokens)}</span>
        </div>
      ))}
      <figcaption class="legend">
        {(["kept", "shortened", "trimmed", "injected"] as const).map((mark) => (
          <span key={mark} class={`key is-${mark}`}>
            {mark} {count(items.filter((item) => item.mark === mark).length)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
