// The conversation as it was, live: what was said in full, everything else as a line that opens.
import { useEffect, useState } from "preact/hooks";
import type { SessionEvent } from "../../../src/schema/api/session.ts";
import { href, params, setParams } from "../../app/route.ts";
import { Copy } from "../../part/copy.tsx";
import { Dialog } from "../../part/dialog.tsx";
import { plural } from "../../part/figure.tsx";
import { Mark } from "../../part/form.tsx";
import { Markdown } from "../../part/markdown.tsx";
import { Empty, Failed, Loading, Trouble } from "../../part/state.tsx";
import { Line, Text } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";
import { VirtualFlow } from "../../part/virtual-flow.tsx";
import { blockOf } from "./block.ts";
import { useEvents } from "./events.ts";

/** Longer texts open in the inspector. */
const MOST = 6000;

export function Transcript({ session }: { session: string }) {
  const flow = useEvents(session);
  const [isAll, setAll] = useState(false);
  const { event: linked, turn } = params.value;
  const opened = flow.items.find(({ event }) => event.id === linked)?.event;
  const shown = isAll ? flow.items : flow.items.filter(({ event }) => !isNoise(event));
  const begin = turnStart(shown, Number(turn));
  // A link may lead to an event that is pages away.
  const isSought = (linked !== undefined && !opened) || (turn !== undefined && begin === undefined);
  useEffect(() => {
    if (isSought && flow.hasMore && !flow.problem) void flow.more();
  }, [isSought, flow.items.length, flow.hasMore]);
  if (flow.items.length === 0) {
    if (flow.problem) return <Failed problem={flow.problem} retry={flow.retry} />;
    if (flow.loading) return <Loading />;
    return <Empty title="No messages yet">What is said in this session appears here as it happens.</Empty>;
  }
  return (
    <div class="transcript">
      <p class="inline transcript-head">
        <span class="faint">
          {plural(flow.items.length, "event")}
          {flow.hasMore && " so far"}
        </span>
        <label class="check">
          <input type="checkbox" checked={isAll} onChange={(event) => setAll(event.currentTarget.checked)} />
          every event
        </label>
        {flow.hasMore && (
          <button type="button" class="quiet" onClick={() => void flow.all()}>
            Load all
          </button>
        )}
      </p>
      {flow.problem && <Trouble problem={flow.problem} retry={flow.retry} />}
      <VirtualFlow
        label="Transcript"
        items={shown}
        id={({ event }) => event.id}
        onNearEnd={() => void flow.more()}
        onEnd={flow.all}
        target={begin}
      >
        {({ event }) => <Block event={event} isCurrent={event.id === begin} />}
      </VirtualFlow>
      {opened && <Inspector session={session} event={opened} />}
    </div>
  );
}

const NOISE =
  /^(?:turn\.|assistant\.usage|session\.(?:usage_info|tools_updated|context_changed|model_limit|idle)|hook\.start|message\.)/;
const isNoise = ({ type }: SessionEvent): boolean => NOISE.test(type);

/** The event that a turn begins with. */
function turnStart(items: readonly { event: SessionEvent }[], turn: number): string | undefined {
  const starts = items.filter(({ event }) => event.type === "user.message" && event.data["source"] !== "notification");
  return starts[turn - 1]?.event.id;
}

function Block({ event, isCurrent }: { event: SessionEvent; isCurrent: boolean }) {
  const block = blockOf(event);
  const text = block.text ?? "";
  const open = (): void => setParams({ event: event.id });
  return (
    <div class={isCurrent ? "block is-current" : block.isAside ? "block is-aside" : "block"}>
      <p class="block-head">
        <Mark tone={block.tone}>{block.word}</Mark>
        {block.note && <Line class="soft">{block.note.slice(0, 400)}</Line>}
        <span class="faint">
          <When at={event.timestamp} seconds />
        </span>
        <button type="button" class="quiet" onClick={open} aria-label={`Inspect ${event.type}`}>
          …
        </button>
      </p>
      {text &&
        (block.isProse && text.length <= MOST ? (
          <Markdown>{text}</Markdown>
        ) : (
          <pre class="block-text">
            <Text>{text.slice(0, MOST)}</Text>
            {text.length > MOST && "…"}
          </pre>
        ))}
    </div>
  );
}

function Inspector({ session, event }: { session: string; event: SessionEvent }) {
  const raw = JSON.stringify(event, null, 2);
  const link = `${location.origin}/${href("sessions", { id: session, event: event.id })}`;
  return (
    <Dialog wide title={event.type} onClose={() => setParams({ event: undefined })}>
      <p class="inline">
        <When at={event.timestamp} seconds />
        <code>{event.id}</code>
        <Copy text={raw} label="Copy JSON" />
        <Copy text={link} label="Copy link" />
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <pre class="raw" tabIndex={0}>
        <Text>{raw}</Text>
      </pre>
    </Dialog>
  );
}
