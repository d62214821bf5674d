// A question over the editor: who asks, what exactly, which rule led here, and the choices with what each stores.

import type { PermissionPrompt } from "../../runtime/client.ts";
import { absentChoices, canEditFact, choicesOf, type OpenQuestion, type QuestionBody } from "../question/question.ts";
import { span } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import { fitLine, ruleLine, wholeText } from "./line.ts";
import { permissionLines } from "./permission.ts";
import { scrolled } from "./scroll.ts";

/** In a small window what is asked needs the rows. */
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
  const absent = rows < ROOMY_ROWS || body.type !== "permission" ? [] : absentChoices(body.ask);
  const choices = writing
    ? [fitLine([span(`  ${WRITING[writing.purpose]}`, "accent")], width, look)]
    : choicesOf(body).flatMap((one, at) => {
        const isHere = at === highlighted;
        const text = `${isHere ? ">" : " "} ${one.number}. ${one.label}`;
        const missing = one.number === 4 ? absent.map(({ number, label }) => `  ${number}. ${label}`) : [];
        return [
          ...missing.map((line) => fitLine([span(line, "dim")], width, look)),
          ...wholeText(text, width, look, isHere ? "accent" : undefined),
        ];
      });
  const room = Math.max(1, rows - 1 - choices.length);
  const lines = bodyLines(body, width, look);
  // A line of space where it costs nothing.
  const space = lines.length + 1 <= room ? [""] : [];
  return [title, ...scrolled(lines, scroll, room - space.length, width, look), ...space, ...choices];
}

const WRITING = {
  feedback: "Say what to do instead, then Enter. Esc goes back.",
  fact: "Change the fact, then Enter to store it. Esc goes back.",
  answer: "Write your answer, then Enter. Esc goes back.",
} as const;

function titleOf(body: QuestionBody): string {
  switch (body.type) {
    case "permission":
      return `${body.ask.agent}: ${permissionTitle(body.ask)}`;
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

/** What is asked, in words. */
function permissionTitle({ request }: PermissionPrompt): string {
  switch (request.kind) {
    case "shell":
      return "run this command?";
    case "write":
      return "change this file?";
    case "read":
      return "read this file?";
    case "url":
      return "fetch this address?";
    case "mcp":
      return "use this tool?";
    case "memory":
      return request.action === "store" ? "remember this?" : "vote on this memory?";
    case "hook":
      return "continue? A hook asks";
  }
}

/** The keys that answer it, for the line under the editor. */
export function questionKeys({ body, writing }: OpenQuestion): string[] {
  if (writing) return ["enter sends it", "esc goes back"];
  const refusal =
    body.type === "user"
      ? "esc declines"
      : body.type === "trust"
        ? "esc continues without"
        : body.type === "consent"
          ? "esc: not now"
          : "esc rejects";
  return ["number, or arrows and enter", ...(canEditFact(body) ? ["e edits the fact"] : []), refusal];
}
