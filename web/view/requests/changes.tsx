// Before and after, item by item: side by side on a wide screen, one below the other on a narrow one.
import { useState } from "preact/hooks";
import type { RequestDetail, RequestItem } from "../../../src/schema/api/request.ts";
import { href } from "../../app/route.ts";
import { bytes, count, plural } from "../../part/figure.tsx";
import { Mark, type Tone } from "../../part/form.tsx";
import { Text } from "../../part/text.tsx";

const TONES: Record<RequestItem["mark"], Tone> = {
  kept: "plain",
  shortened: "amber",
  trimmed: "red",
  injected: "accent",
};
/** Fewer kept items than these in a row are shown one by one. */
const FOLD = 3;

type Group = { type: "fold"; items: readonly RequestItem[] } | { type: "item"; item: RequestItem };

/** Runs of kept items fold into one line: what changed is what a reader came for. */
function folded(items: readonly RequestItem[]): Group[] {
  const groups: Group[] = [];
  let run: RequestItem[] = [];
  const end = (): void => {
    if (run.length > FOLD) groups.push({ type: "fold", items: run });
    else for (const item of run) groups.push({ type: "item", item });
    run = [];
  };
  for (const item of items) {
    if (item.mark === "kept") run.push(item);
    else {
      end();
      groups.push({ type: "item", item });
    }
  }
  end();
  return groups;
}

const PAGE = 150;

export function Changes({ value }: { value: RequestDetail }) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [most, setMost] = useState(PAGE);
  if (value.items.length === 0 && value.injections.length === 0)
    return (
      <p class="soft">
        {value.whyNothing ?? "This request passed through byte for byte. Its items were not recorded."}
      </p>
    );
  const groups = folded(value.items).flatMap((group, index): (Group & { at: number })[] =>
    group.type === "fold" && open.has(index)
      ? group.items.map((item) => ({ type: "item", item, at: index }))
      : [{ ...group, at: index }],
  );
  const sources = injectionOf(value);
  return (
    <ol class="changes" aria-label="Items before and after">
      <li class="change is-head" aria-hidden="true">
        <span>Mark</span>
        <span>What the client sent</span>
        <span>What the model got</span>
      </li>
      {groups.slice(0, most).map((group, index) =>
        group.type === "fold" ? (
          <li key={index} class="change is-fold">
            <span>
              <Mark>kept</Mark>
            </span>
            <span>
              <button type="button" class="quiet" onClick={() => setOpen(new Set([...open, group.at]))}>
                {plural(group.items.length, "item")} unchanged,{" "}
                {count(group.items.reduce((sum, item) => sum + item.tokens, 0))} tokens
              </button>
            </span>
          </li>
        ) : (
          <Item key={index} item={group.item} source={sources.get(group.item)} />
        ),
      )}
      {groups.length > most && (
        <li>
          <button type="button" onClick={() => setMost(most + PAGE)}>
            Show {count(Math.min(PAGE, groups.length - most))} of {count(groups.length - most)} more
          </button>
        </li>
      )}
    </ol>
  );
}

type Source = RequestDetail["injections"][number];

const BLOCKS: ReadonlySet<string> = new Set(["recall", "state", "notice"]);

/** Injected blocks and what they were made from come in the same order. */
function injectionOf({ items, injections }: RequestDetail): ReadonlyMap<RequestItem, Source> {
  const list = items.filter((item) => item.mark === "injected" && BLOCKS.has(item.kind));
  return new Map(list.flatMap((item, index) => (injections[index] ? [[item, injections[index]]] : [])));
}

function Item({ item, source }: { item: RequestItem; source: Source | undefined }) {
  const where = item.stored && (
    <a href={href("sessions", { id: item.stored.session, ref: item.stored.ref })}>stored as {item.stored.ref}</a>
  );
  const text = source?.text ?? item.text;
  return (
    <li class={`change is-${item.mark}`}>
      <span class="change-mark">
        <Mark tone={TONES[item.mark]}>{item.mark}</Mark>
        <span class="faint">{item.position !== undefined ? `#${item.position}` : ""}</span>
      </span>
      <div class={item.mark === "injected" ? "side is-empty" : "side"}>
        {item.mark !== "injected" && (
          <>
            <Head item={item} />
            <Body text={item.text} clipped={item.clipped} isLong={item.mark === "trimmed"} />
          </>
        )}
      </div>
      <div class={item.mark === "trimmed" ? "side is-empty" : "side"}>
        {item.mark === "kept" && <span class="faint">the same</span>}
        {item.mark === "trimmed" && <span class="soft">left out{where && <>, {where}</>}</span>}
        {item.mark === "shortened" && (
          <span class="soft">shortened in the middle{where && <>; the whole text is {where}</>}</span>
        )}
        {item.mark === "injected" && (
          <>
            <p class="change-head">
              <strong>{source?.block ?? item.kind}</strong>
              <span class="soft">{source?.source}</span>
              <span class="faint">
                {count(item.tokens)} tokens{source?.bytes !== undefined && `, ${bytes(source.bytes)}`}
                {source?.again && ", as before"}
              </span>
            </p>
            <Body text={text} clipped={false} isLong />
          </>
        )}
      </div>
    </li>
  );
}

const Head = ({ item }: { item: RequestItem }) => (
  <p class="change-head">
    <strong>{item.role}</strong>
    <span class="soft">{item.kind === item.role || item.kind === "message" ? "" : item.kind}</span>
    <span class="faint">{count(item.tokens)} tokens</span>
  </p>
);

function Body({ text, clipped, isLong }: { text: string | undefined; clipped: boolean | undefined; isLong: boolean }) {
  if (text === undefined) return <p class="faint">Its text is not stored.</p>;
  return (
    <pre class={isLong ? "change-text is-long" : "change-text"}>
      <Text>{text}</Text>
      {clipped && "…"}
    </pre>
  );
}
