// A list of any length with few elements: only rows near the window exist, arrows move the selection, End reaches the last.
import type { ComponentChildren, TargetedEvent } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const AROUND = 8;

type VirtualListProps<T> = {
  label: string;
  items: readonly T[];
  id(row: T): string;
  /** The height of every row in px. */
  height: number;
  selected?: string | undefined;
  onSelect(row: T): void;
  onNearEnd?(): void;
  /** Called by the End key before it jumps; brings what is still missing. */
  onEnd?(): Promise<void>;
  children(row: T): ComponentChildren;
  /** Below the last row. */
  foot?: ComponentChildren;
};

export function VirtualList<T>(props: VirtualListProps<T>) {
  const { items, height, label, selected, id } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, size: 800 });
  const [active, setActive] = useState(0);
  const wanted = useRef<number | undefined>(undefined);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = (): void => setView({ top: element.scrollTop, size: element.clientHeight });
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  const first = Math.max(0, Math.floor(view.top / height) - AROUND);
  const last = Math.min(items.length, Math.ceil((view.top + view.size) / height) + AROUND);
  useEffect(() => {
    if (last >= items.length - AROUND) props.onNearEnd?.();
  }, [last, items.length]);

  useEffect(() => {
    const index = selected === undefined ? -1 : items.findIndex((row) => id(row) === selected);
    if (index >= 0) setActive(index);
  }, [selected, items]);

  useLayoutEffect(() => {
    // The row that the keyboard went to exists only now.
    if (wanted.current === undefined) return;
    const row = box.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`);
    if (!row) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  });

  const moveTo = (index: number): void => {
    const element = box.current;
    const target = Math.max(0, Math.min(items.length - 1, index));
    if (!element || items.length === 0) return;
    wanted.current = target;
    setActive(target);
    const top = target * height;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + height > element.scrollTop + element.clientHeight)
      element.scrollTop = top + height - element.clientHeight;
    setView({ top: element.scrollTop, size: element.clientHeight });
  };
  // The list may grow while End waits for its last page, so the newest of everything is asked.
  const toLast = useRef(() => {});
  toLast.current = () => moveTo(items.length - 1);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(view.size / height) - 1);
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    const step = steps[event.key];
    if (step !== undefined) moveTo(active + step);
    else if (event.key === "Home") moveTo(0);
    else if (event.key === "End")
      void (props.onEnd?.() ?? Promise.resolve()).then(() => requestAnimationFrame(() => toLast.current()));
    else return;
    event.preventDefault();
  };
  const onScroll = (event: TargetedEvent<HTMLDivElement>): void =>
    setView({ top: event.currentTarget.scrollTop, size: event.currentTarget.clientHeight });

  return (
    <div
      class="virtual"
      ref={box}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      role="listbox"
      aria-label={label}
      tabIndex={-1}
    >
      <div class="virtual-all" style={{ height: `${items.length * height}px` }} role="presentation">
        {items.slice(first, last).map((row, offset) => {
          const index = first + offset;
          const isSelected = selected === id(row);
          return (
            <div
              key={id(row)}
              class={isSelected ? "row is-selected" : "row"}
              style={{ height: `${height}px`, transform: `translateY(${index * height}px)` }}
              role="option"
              aria-selected={isSelected}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              data-index={index}
              tabIndex={index === Math.min(active, items.length - 1) ? 0 : -1}
              onClick={() => {
                setActive(index);
                props.onSelect(row);
              }}
              onKeyDown={(event) => {
                if (event.key !== "Enter" && event.key !== " ") return;
                event.preventDefault();
                props.onSelect(row);
              }}
            >
              {props.children(row)}
            </div>
          );
        })}
      </div>
      {props.foot}
    </div>
  );
}
