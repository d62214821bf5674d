// A long text of many blocks with few elements: blocks have any height, and only those near the window exist.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const GUESS = 64;
const AROUND = 600;

type VirtualFlowProps<T> = {
  label: string;
  items: readonly T[];
  id(item: T): string;
  children(item: T): ComponentChildren;
  onNearEnd?(): void;
  onEnd?(): Promise<void>;
  /** The block to begin at; it is gone to once. */
  target?: string | undefined;
};

export function VirtualFlow<T>(props: VirtualFlowProps<T>) {
  const { items, id, label } = props;
  /** What scrolls: the detail that the flow stands in. */
  const scroller = useRef<HTMLElement | null>(null);
  const heights = useRef(new Map<string, number>());
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, size: 1000 });
  const [, setRound] = useState(0);

  /** Heights below the window are guesses until they are drawn, and a log grows: the end is gone to until somebody moves. */
  const followsEnd = useRef(false);
  const toEnd = (): void => {
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  };

  const tops: number[] = [];
  let total = 0;
  for (const item of items) {
    tops.push(total);
    total += heights.current.get(id(item)) ?? GUESS;
  }
  const first = Math.max(0, firstAfter(tops, view.top - AROUND) - 1);
  const last = firstAfter(tops, view.top + view.size + AROUND);

  useLayoutEffect(() => {
    const own = box.current;
    const element = own?.closest<HTMLElement>("[data-detail]");
    if (!element || !own) return;
    scroller.current = element;
    const measure = (): void =>
      setView({
        top: element.getBoundingClientRect().top - own.getBoundingClientRect().top,
        size: element.clientHeight,
      });
    measure();
    const stay = (): void => {
      followsEnd.current = false;
    };
    const moves = ["wheel", "touchmove", "pointerdown", "keydown"] as const;
    element.addEventListener("scroll", measure, { passive: true });
    for (const type of moves) element.addEventListener(type, stay, { passive: true, capture: true });
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => {
      element.removeEventListener("scroll", measure);
      for (const type of moves) element.removeEventListener(type, stay, { capture: true });
      watch.disconnect();
    };
  }, []);

  useLayoutEffect(() => {
    let changed = false;
    for (const element of box.current?.children ?? []) {
      if (!(element instanceof HTMLElement)) continue;
      const key = element.dataset["id"] ?? "";
      const height = Math.ceil(element.getBoundingClientRect().height);
      if (height > 0 && heights.current.get(key) !== height) {
        heights.current.set(key, height);
        changed = true;
      }
    }
    if (changed) setRound((now) => now + 1);
    if (followsEnd.current) toEnd();
  });

  const gone = useRef<string | undefined>(undefined);
  useEffect(() => {
    const { target } = props;
    const index = target === undefined || target === gone.current ? -1 : items.findIndex((item) => id(item) === target);
    const element = scroller.current;
    const own = box.current;
    if (index < 0 || !element || !own) return;
    gone.current = target;
    const above = own.getBoundingClientRect().top - element.getBoundingClientRect().top + element.scrollTop;
    element.scrollTop = above + (tops[index] ?? 0);
  });

  useEffect(() => {
    if (last >= items.length - 5) props.onNearEnd?.();
  }, [last, items.length]);

  return (
    <div
      class="flow"
      ref={box}
      role="feed"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys Home and End work in it.
      tabIndex={0}
      style={{ height: `${total}px` }}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        if (event.key === "Home") scroller.current?.scrollTo({ top: 0 });
        else if (event.key === "End") {
          followsEnd.current = true;
          toEnd();
          void props.onEnd?.();
        } else return;
        event.preventDefault();
      }}
    >
      {items.slice(first, last).map((item, offset) => (
        <article
          key={id(item)}
          data-id={id(item)}
          class="flow-item"
          aria-posinset={first + offset + 1}
          aria-setsize={items.length}
          style={{ transform: `translateY(${tops[first + offset] ?? 0}px)` }}
        >
          {props.children(item)}
        </article>
      ))}
    </div>
  );
}

/** The first place whose top is beyond `at`. */
function firstAfter(tops: readonly number[], at: number): number {
  let low = 0;
  let high = tops.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tops[middle] ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}
