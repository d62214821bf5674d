// A question over the editor: who asks, what exactly, which rule led here, and the choices with what each stores.
import { canEditFact, choicesOf, type OpenQuestion, type QuestionBody } from "../question/question.ts";
import { span } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import { fitLine, ruleLine, wholeText } from "./line.ts";
import { permissionLines } from "./permission.ts";
import { scrolled } from "./scroll.ts";

/** With fewer rows the line about keys gives way to what is asked. */
const ROOMY_ROWS = 12;

/** `count`: how many wait, this one first. At most `rows` lines: the body scrolls, the choices stay. */
export function renderQuestion(
  question: OpenQuestion,
  count: number,
  width: number,
  look: Look,
  rows: number,
): string[] {
  const { body, scroll, highlighted, writing } = question;
  const number = count > 1 ? [span(` 1 of ${count}`, "accent")] : [];
  const title = ruleLine([span(titleOf(body), "warning", "bold"), ...number], width, look);
  const choices = writing
    ? [fitLine([span(WRITING[writing.purpose], "accent")], width, look)]
    : choicesOf(body).flatMap((one, at) => {
        const isHere = at === highlighted;
        const text = `${isHere ? ">" : " "} ${one.number}. ${one.label}`;
        return wholeText(text, width, look, isHere ? "accent" : undefined);
      });
  const foot = writing || rows < ROOMY_ROWS ? [] : [fitLine([span(keysText(body), "dim")], width, look)];
  const room = Math.max(1, rows - 1 - choices.length - foot.length);
  return [title, ...scrolled(bodyLines(body, width, look), scroll, room, width, look), ...choices, ...foot];
}

const WRITING = {
  feedback: "Say what to do instead, then Enter. Esc goes back.",
  fact: "Change the fact, then Enter to store it. Esc goes back.",
  answer: "Write your answer, then Enter. Esc goes back.",
} as const;

function titleOf(body: QuestionBody): string {
  switch (body.type) {
    case "permission":
      return `Permission for ${body.ask.agent}: ${body.ask.request.kind}`;
    case "user":
      return "Question";
    case "plan":
      return "The plan is ready";
    case "trust":
      return "Do you trust this folder?";
    case "consent":
      return "May text be sent?";
  }
}

function bodyLines(body: QuestionBody, width: number, look: Look): string[] {
  switch (body.type) {
    case "permission":
      return permissionLines(body.ask, width, look);
    case "user":
      return wholeText(body.ask.question, width, look);
    case "plan":
      return wholeText(body.ask.plan || body.ask.summary, width, look);
    case "trust":
    case "consent":
      return wholeText(body.text, width, look);
  }
}

function keysText(body: QuestionBody): string {
  const refusal =
    body.type === "user"
      ? "esc declines"
      : body.type === "trust"
        ? "esc continues without"
        : body.type === "consent"
          ? "esc: not now"
          : "esc rejects";
  const edit = canEditFact(body) ? ", e edits the fact" : "";
  return `number, or arrows and Enter${edit}; ${refusal}`;
}
