// What the screen's content costs as a session grows: ten times as much may cost ten times as much, and no more.
import type { BlockOf, Transcript } from "../src/runtime/client/transcript.ts";
import { emptyTranscript, itemsAfter, reduceBlocks } from "../src/runtime/client/transcript.ts";
import type { Envelope } from "../src/schema/event/envelope.ts";
import { partLines } from "../src/tui/block/answer.ts";
import { AnswerStream } from "../src/tui/block/answer-stream.ts";
import { renderBlock } from "../src/tui/block/render.ts";
import { loadHighlighter } from "../src/tui/markdown/highlight.ts";
import { lookOf } from "../src/tui/theme/look.ts";
import { paintAll } from "../src/tui/theme/paint.ts";
import { transcriptPanel, transcriptView } from "../src/tui/view/transcript.ts";
import { alternate, print, timed } from "./measure.ts";

const event = (type: string, data: object, at: number): Envelope =>
  ({ id: `e${at}`, type, timestamp: "2026-01-01T00:00:00.000Z", parentId: null, data }) as Envelope;

/** Half messages, half tool calls. */
function* session(blocks: number): Generator<Envelope> {
  for (let at = 0; at < blocks / 2; at++) {
    yield event(
      "user.message",
      { messageId: `m${at}`, turnId: "t", content: `message ${at} of many`, source: "user", mode: "interactive" },
      at,
    );
    yield event(
      "tool.execution_start",
      { toolCallId: `c${at}`, toolName: "bash", arguments: { command: "ls" }, turnId: "t" },
      at,
    );
    const result = { content: "one\ntwo\n[exit code 0, 0.1 s]", bytes: 30, lines: 3 };
    yield event(
      "tool.execution_complete",
      { toolCallId: `c${at}`, success: true, resultType: "success", result, durationMs: 5 },
      at,
    );
  }
}

const reduced = (blocks: number): Transcript => {
  let transcript = emptyTranscript();
  for (const one of session(blocks)) transcript = reduceBlocks(transcript, one);
  return transcript;
};

/** Prose, lists, tables and code, cut into pieces of a few words as a model sends them. */
function pieces(lines: number): string[] {
  const part = [
    "## Part",
    "Some words about **it** that go on for a while, `code` too.",
    "",
    "- one",
    "- two",
    "",
    "```ts",
    ...Array(8).fill("const port = 8080; // default"),
    "```",
    "",
    "| a | b |",
    "|---|---|",
    "| 1 | 2 |",
    "",
    "",
  ];
  const text = Array.from({ length: Math.ceil(lines / part.length) }, () => part.join("\n")).join("\n");
  return text.match(/[\s\S]{1,12}/g) ?? [];
}

function streamed(parts: readonly string[], look: ReturnType<typeof lookOf>): void {
  let transcript = emptyTranscript();
  const stream = new AnswerStream(look);
  parts.forEach((deltaContent, at) => {
    transcript = reduceBlocks(transcript, event("assistant.message_delta", { messageId: "m", deltaContent }, at));
    // A screen is drawn 30 times a second; a fast model sends three pieces in that time.
    if (at % 3 !== 0) return;
    const { settled, open } = stream.update(transcript.live[0] as BlockOf<"assistant">);
    paintAll(partLines([...settled, ...open], 80), look);
  });
}

export async function bench(): Promise<void> {
  const look = lookOf({ highlight: await loadHighlighter() });
  reduced(1000);
  const log = [...session(10_000)].map((one) => JSON.stringify(one));
  const parse = () => timed(() => log.map((line) => JSON.parse(line) as unknown));
  print(
    "reduce 10,000 blocks against parsing their log",
    await alternate(9, parse, () => timed(() => reduced(10_000))),
    "at most 2",
  );

  const [small, large] = [itemsAfter(reduced(1000).settled), itemsAfter(reduced(10_000).settled)];
  const drawAll = (blocks: typeof small) => () =>
    timed(() => blocks.forEach((block) => void renderBlock(block, 80, look)));
  print(
    "draw 10,000 blocks against 1,000",
    await alternate(5, drawAll(small), drawAll(large)),
    "at most 15: linear is 10",
  );

  const [short, long] = [pieces(300), pieces(3000)];
  streamed(short, look);
  print(
    "stream 3,000 lines against 300",
    await alternate(
      5,
      () => timed(() => streamed(short, look)),
      () => timed(() => streamed(long, look)),
    ),
    "at most 15: linear is 10",
  );

  const whole = long.join("");
  print(
    "stream 3,000 lines against drawing them once",
    await alternate(
      5,
      () =>
        timed(() =>
          renderBlock({ kind: "assistant", id: "m", at: "", messageId: "m", state: "complete", text: whole }, 80, look),
        ),
      () => timed(() => streamed(long, look)),
    ),
    "at most 20",
  );

  const open = (blocks: typeof small) => () =>
    timed(() => transcriptView.render(transcriptPanel(blocks), 80, look, 40));
  print(
    "open the transcript panel at 10,000 blocks against 1,000",
    await alternate(9, open(small), open(large)),
    "at most 3",
  );

  const output = "x".repeat(10_000_000);
  const card = (text: string): BlockOf<"tool"> => ({
    kind: "tool",
    id: "c",
    at: "",
    toolCallId: "c",
    tool: "bash",
    args: {},
    state: "success",
    output: text,
    lines: 1,
    durationMs: 1,
    files: [],
  });
  const drawCard = (text: string) => () =>
    timed(() => {
      for (let n = 0; n < 100; n++) renderBlock(card(text), 80, look);
    });
  print(
    "card of a 10 MB line against one of 10 kB, 100 times",
    await alternate(5, drawCard(output.slice(0, 10_000)), drawCard(output)),
    "at most 20",
  );
}
