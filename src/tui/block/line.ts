// The quiet kinds: one entry of a few facts each, all told in words.
import { entryOf } from "../../base/own-entry.ts";
import { clip } from "../../base/text.ts";
import type { BlockKind, BlockOf, TaskPhase } from "../../runtime/client/transcript.ts";
import { type SpanLine, span } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import type { Role } from "../theme/theme.ts";
import { countText, durationText, moneyText, tokenText } from "./figure.ts";
import { factSpans, foldText, hangingColumns, headLines, INDENT, indented } from "./layout.ts";

type LineKind = Exclude<
  BlockKind,
  "user" | "assistant" | "reasoning" | "tool" | "shell" | "compaction" | "permission" | "event"
>;

/** Hooks may add pages to a prompt; people are shown where they begin. */
const CONTEXT_LINES = 10;
const DETAIL_CHARS = 400;

type Drawn = { role: Role; word: string; rest: SpanLine; body?: SpanLine[] };

/** Who or what ended a turn, for the reasons that have a name only. */
const ENDED_BY: Readonly<Record<string, string>> = { user: "by you", exit: "when the session was left" };

export function lineBlock(block: BlockOf<LineKind>, width: number, look: Look): SpanLine[] {
  const { role, word, rest, body = [] } = draw(block, look);
  const glyph = block.kind === "notice" && block.level === "warning" ? "warning" : block.kind;
  const inner = body.flatMap((line) => hangingColumns(line, width - INDENT).map((one) => indented(one)));
  return [
    ...headLines(
      { glyph, word, role, isQuiet: role === "accent" || role === "dim" || role === "success" },
      rest,
      width,
      look,
    ),
    ...inner,
  ];
}

function draw(block: BlockOf<LineKind>, look: Look): Drawn {
  const facts = (...texts: (string | undefined)[]) => factSpans(texts, look);
  const cut = (text: string) => span(look.isWhole ? text : clip(text, DETAIL_CHARS));
  switch (block.kind) {
    case "truncation": {
      const { tokens, messages, by } = block;
      const gone = `${tokenText(tokens)} tokens in ${countText(messages, "message")} left out`;
      return {
        role: "warning",
        word: "Request trimmed",
        rest: [span(gone), span("  "), ...facts(`by ${by}`, "the log keeps them")],
      };
    }
    case "recall": {
      if (block.state === "failed") {
        const reason = block.reason.replace(/[^.!?]$/, "$&.");
        return { role: "warning", word: "recall", rest: [span(`failed: ${reason} The turn continues.`)] };
      }
      const counts = block.scopes.map(({ scope, count }) => countText(count, scope.replace(/s$/, ""))).join(", ");
      const late = block.isPartial ? "timed out, partial results" : undefined;
      const time = block.durationMs === undefined ? undefined : `${Math.round(block.durationMs)} ms`;
      const body = look.isWhole ? block.items.map((item) => [span(item, "dim")]) : [];
      return { role: "accent", word: "recall", rest: [span(counts), span("  "), ...facts(time, late)], body };
    }
    case "memory": {
      const { action, subject, scope, direction, detail, code, fact, agent } = block;
      const about = subject ?? fact;
      const rest = [span(action), ...(about ? [span(" "), cut(about)] : []), span("  ")];
      const why = action === "refused" ? `${detail}${code ? ` [${code}]` : ""}` : detail;
      const role = action === "refused" ? "warning" : "accent";
      return {
        role,
        word: "memory",
        rest: [...rest, ...facts(direction, scope, agent && `by ${agent}`)],
        body: [[span(why, "dim")]],
      };
    }
    case "board": {
      const { action, name, description, agent } = block;
      return {
        role: "accent",
        word: "board",
        rest: [span(`${action} ${name}`), span("  "), ...facts(description, agent && `by ${agent}`)],
      };
    }
    case "inbox":
      return {
        role: "accent",
        word: "inbox",
        rest: [span(`${block.sender}: `), cut(block.summary), span("  "), ...facts(block.entryId)],
      };
    case "task":
      return drawTask(block, look);
    case "hook": {
      const { name, event, decision, reason, context } = block;
      const role = decision === undefined || decision === "allow" ? "accent" : "warning";
      const lines = (context ?? "").split("\n");
      const shown = context === undefined ? [] : look.isWhole ? lines : lines.slice(0, CONTEXT_LINES);
      const more = context === undefined ? 0 : lines.length - shown.length;
      const body = [
        ...(reason ? [[cut(reason)]] : []),
        ...shown.map((line) => [span(line, "dim")]),
        ...(more > 0 ? [[span(foldText(countText(more, "line"), look), "fold")]] : []),
      ];
      return {
        role,
        word: "hook",
        rest: [span(`${event} ${decision ?? "added context"}`), span("  "), ...facts(name)],
        body,
      };
    }
    case "retry": {
      const { attempt, delayMs, reason, discards } = block;
      const wait = delayMs === undefined ? "" : ` in ${durationText(delayMs)}`;
      const rest = [span(`${attempt}${wait}: `), cut(reason)];
      return {
        role: "warning",
        word: "retry",
        rest,
        body: discards ? [[span("The text above was discarded; the answer begins again.", "dim")]] : [],
      };
    }
    case "model": {
      const { before, now, why, agent } = block;
      const change = before ? `${before} ${look.glyphs.arrow} ${now}` : now;
      return {
        role: "accent",
        word: "model",
        rest: [span(change), span("  "), ...facts(why, agent && `for ${agent}`)],
      };
    }
    case "mode": {
      const change = `${block.before} ${look.glyphs.arrow} ${block.now}`;
      return { role: "accent", word: "mode", rest: [span(change), span("  "), ...facts(block.topic)] };
    }
    case "checkpoint": {
      const { restored, skipped } = block;
      const files = restored.length > 0 ? `${countText(restored.length, "file")} restored` : undefined;
      const left =
        skipped.length > 0 ? `${countText(skipped.length, "file")} left alone: ${skipped.join(", ")}` : undefined;
      return { role: "accent", word: "rewound", rest: [span("to an earlier turn"), span("  "), ...facts(files, left)] };
    }
    case "promotion": {
      const role = block.state === "refused" ? "warning" : "accent";
      return { role, word: "promotion", rest: [span(`${block.state}: `), cut(block.text)] };
    }
    case "notice": {
      const lines = block.text.trimEnd().split("\n");
      // A list in columns begins below its head, so that all its rows are in line.
      const isList = lines.length > 1 && /\S {2,}\S/.test(lines[0] ?? "");
      const [first = "", ...more] = isList ? ["", ...lines] : lines;
      const word = block.level === "warning" ? "warning" : block.about.startsWith("/") ? block.about : "notice";
      return {
        role: block.level === "warning" ? "warning" : "dim",
        word,
        rest: isList ? [] : [span(first)],
        body: more.map((line) => [span(line)]),
      };
    }
    case "error": {
      const { text, hint, code } = block;
      const tail = code && !text.includes(`[${code}]`) ? [span(` [${code}]`, "dim")] : [];
      return { role: "error", word: "error", rest: [span(text), ...tail], body: hint ? [[span(hint)]] : [] };
    }
    case "interrupted":
      return { role: "warning", word: "interrupted", rest: facts(entryOf(ENDED_BY, block.reason) ?? block.reason) };
  }
}

const TASK_ROLES: Readonly<Record<TaskPhase, Role>> = {
  started: "accent",
  idle: "accent",
  stalled: "warning",
  completed: "success",
  failed: "error",
  cancelled: "warning",
  interrupted: "warning",
};

function drawTask(block: BlockOf<"task">, look: Look): Drawn {
  const { state, name, agentType, model, turns, toolCalls, tokens, cost, durationMs, detail } = block;
  const figures = factSpans(
    [
      agentType === name ? undefined : agentType,
      model,
      turns ? countText(turns, "turn") : undefined,
      toolCalls ? countText(toolCalls, "tool call") : undefined,
      tokens ? `${tokenText(tokens)} tokens` : undefined,
      cost ? moneyText(cost) : undefined,
      durationMs === undefined ? undefined : durationText(durationMs),
    ],
    look,
  );
  const body = detail ? [[span(look.isWhole ? detail : clip(detail, DETAIL_CHARS), "dim")]] : [];
  return { role: TASK_ROLES[state], word: "task", rest: [span(`${name} ${state}`), span("  "), ...figures], body };
}
