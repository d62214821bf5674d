// Questions that a person decides: what is asked, what can be answered, and which key answers. Pure.
import { consentChoices } from "../../command/consent.ts";
import type { PermissionPrompt, PlanAnswer, PlanQuestion, UserQuestion } from "../../runtime/client.ts";
import type { PermissionAnswer } from "../../schema/permission.ts";
import type { EditorState } from "../editor/edit.ts";
import type { KeyPress } from "../terminal/input.ts";

export type QuestionBody =
  | { type: "permission"; ask: PermissionPrompt }
  | { type: "user"; ask: UserQuestion }
  | { type: "plan"; ask: PlanQuestion }
  /** Before anything of the folder is loaded. */
  | { type: "trust"; text: string }
  | { type: "consent"; text: string };

type TrustChoice = "trust" | "without" | "exit";
export type QuestionAnswer =
  | { type: "permission"; answer: PermissionAnswer }
  | { type: "user"; text: string | undefined }
  | { type: "plan"; answer: PlanAnswer }
  | { type: "trust"; choice: TrustChoice }
  | { type: "consent"; choice: (typeof consentChoices)[number]["choice"] };

/** What is written in the editor instead of the draft: why it is rejected, the fact in other words, an answer. */
type WritingPurpose = "feedback" | "fact" | "answer";

type QuestionChoice = {
  number: number;
  label: string;
  /** What it decides, or what has to be written first. */
  does: { answer: QuestionAnswer } | { write: WritingPurpose; from: string };
};

export type OpenQuestion = {
  id: number;
  body: QuestionBody;
  /** When it was first on the screen. */
  shownAt: number | undefined;
  lastKeyAt: number | undefined;
  /** Keys decide. */
  isArmed: boolean;
  highlighted: number | undefined;
  /** Rows of its body that are scrolled away. */
  scroll: number;
  writing: { purpose: WritingPurpose; draft: EditorState } | undefined;
};

/** A question takes no key as its answer before this time has passed without one. */
export const ARMING_MS = 400;

export const openQuestion = (id: number, body: QuestionBody): OpenQuestion => ({
  id,
  body,
  shownAt: undefined,
  lastKeyAt: undefined,
  isArmed: false,
  highlighted: undefined,
  scroll: 0,
  writing: undefined,
});

export function choicesOf(body: QuestionBody): QuestionChoice[] {
  switch (body.type) {
    case "permission":
      return permissionChoices(body.ask);
    case "user": {
      const { choices = [], allowFreeform } = body.ask;
      const fixed = choices.map((text, at) => choice(at + 1, text, { answer: { type: "user", text } }));
      const own = choice(choices.length + 1, "Write an answer", { write: "answer", from: "" });
      return allowFreeform || choices.length === 0 ? [...fixed, own] : fixed;
    }
    case "plan": {
      const { actions, recommended } = body.ask;
      return [
        ...actions.map((action, at) =>
          choice(at + 1, `${PLAN_WORDS[action] ?? action}${action === recommended ? " (recommended)" : ""}`, {
            answer: { type: "plan", answer: { action } },
          }),
        ),
        choice(actions.length + 1, "Reject, and say what should change", { write: "feedback", from: "" }),
      ];
    }
    case "trust":
      return [
        choice(1, "Trust this folder", { answer: { type: "trust", choice: "trust" } }),
        choice(2, "Continue without", { answer: { type: "trust", choice: "without" } }),
        choice(3, "Exit", { answer: { type: "trust", choice: "exit" } }),
      ];
    case "consent":
      return consentChoices.map((one, at) =>
        choice(at + 1, one.text, { answer: { type: "consent", choice: one.choice } }),
      );
  }
}

const PLAN_WORDS: Readonly<Record<string, string>> = {
  interactive: "Go on, asking as usual",
  autopilot: "Go on with autopilot",
  autopilot_fleet: "Go on with autopilot and a fleet",
  exit_only: "Leave plan mode only",
};

const choice = (number: number, label: string, does: QuestionChoice["does"]): QuestionChoice => ({
  number,
  label,
  does,
});

function permissionChoices(ask: PermissionPrompt): QuestionChoice[] {
  const answer = (one: PermissionAnswer): QuestionChoice["does"] => ({ answer: { type: "permission", answer: one } });
  const similar = similarOf(ask);
  if (similar.length > 0)
    return [
      choice(1, "Keep both", answer({ type: "once" })),
      ...similar.map(({ id, fact }, at) =>
        choice(at + 2, `Replace the old one: ${fact}`, answer({ type: "once", replaces: id })),
      ),
      choice(4, "Reject", answer({ type: "reject" })),
      choice(5, "Reject, and say what to do instead", { write: "feedback", from: "" }),
    ];
  return [
    choice(1, "Once", answer({ type: "once" })),
    ...(ask.session ? [choice(2, `This session: ${ask.session}`, answer({ type: "session" }))] : []),
    ...(ask.location ? [choice(3, `This folder, from now on: ${ask.location}`, answer({ type: "location" }))] : []),
    choice(4, "Reject", answer({ type: "reject" })),
    choice(5, "Reject, and say what to do instead", { write: "feedback", from: "" }),
  ];
}

/** The numbers always mean the same: the missing ones, each with why it is missing. */
export function absentChoices(ask: PermissionPrompt): { number: number; label: string }[] {
  const similar = similarOf(ask).length;
  if (similar === 1) return [{ number: 3, label: "Replace another one: only one is alike" }];
  if (similar > 1) return [];
  const why = ask.session === undefined ? "not for such a call" : "only when you trust it (/trust)";
  return [
    ...(ask.session === undefined ? [{ number: 2, label: `This session: ${why}` }] : []),
    ...(ask.location === undefined ? [{ number: 3, label: `This folder, from now on: ${why}` }] : []),
  ];
}

/** Records that a new memory can take the place of; one answers for them with 2 or 3. */
export const similarOf = ({ request }: PermissionPrompt): readonly { id: string; fact: string }[] =>
  request.kind === "memory" ? (request.similar ?? []).slice(0, 2) : [];

export const canEditFact = (body: QuestionBody): boolean =>
  body.type === "permission" && body.ask.request.kind === "memory" && body.ask.request.action === "store";

/** What Esc answers: no, or no answer. */
function declined(body: QuestionBody): QuestionAnswer {
  switch (body.type) {
    case "permission":
      return { type: "permission", answer: { type: "reject" } };
    case "user":
      return { type: "user", text: undefined };
    case "plan":
      return { type: "plan", answer: { action: "reject" } };
    case "trust":
      return { type: "trust", choice: "without" };
    case "consent":
      return { type: "consent", choice: "not_now" };
  }
}

/** What a text in the editor answers. */
export function writtenAnswer(body: QuestionBody, purpose: WritingPurpose, text: string): QuestionAnswer {
  const feedback = text.trim() === "" ? {} : { feedback: text };
  if (body.type === "permission")
    return purpose === "fact"
      ? { type: "permission", answer: { type: "once", edited: { fact: text } } }
      : { type: "permission", answer: { type: "reject", ...feedback } };
  if (body.type === "plan") return { type: "plan", answer: { action: "reject", ...feedback } };
  return { type: "user", text };
}

type KeyOutcome =
  /** The key is not the question's. */
  | { type: "pass"; question: OpenQuestion }
  | { type: "stay"; question: OpenQuestion }
  | { type: "answer"; answer: QuestionAnswer }
  | { type: "write"; question: OpenQuestion; purpose: WritingPurpose; from: string };

/** Only digits, arrows with Enter, Esc, and `e` for a fact; everything else is the draft's. */
export function questionKey(question: OpenQuestion, key: KeyPress, now: number): KeyOutcome {
  const quietSince = Math.max(question.shownAt ?? now, question.lastKeyAt ?? 0);
  const isArmed = question.isArmed || (question.shownAt !== undefined && now - quietSince >= ARMING_MS);
  const next: OpenQuestion = { ...question, isArmed, lastKeyAt: now };
  if (!isArmed) return { type: "pass", question: next };
  const choices = choicesOf(question.body);
  const { highlighted } = question;
  if (key.id === "escape") return { type: "answer", answer: declined(question.body) };
  if (key.id === "up" || key.id === "down") {
    const from = highlighted ?? (key.id === "up" ? choices.length : -1);
    const at = Math.min(choices.length - 1, Math.max(0, from + (key.id === "up" ? -1 : 1)));
    return { type: "stay", question: { ...next, highlighted: at } };
  }
  if (key.id === "pageUp" || key.id === "pageDown")
    return { type: "stay", question: { ...next, scroll: Math.max(0, next.scroll + (key.id === "pageUp" ? -5 : 5)) } };
  if (key.id === "enter") {
    const one = highlighted === undefined ? undefined : choices[highlighted];
    return one ? outcome(one, next) : { type: "stay", question: next };
  }
  if (key.id === "e" && canEditFact(question.body) && question.body.type === "permission") {
    const { request } = question.body.ask;
    const fact = request.kind === "memory" ? (request.fact ?? "") : "";
    return { type: "write", question: next, purpose: "fact", from: fact };
  }
  const numbered = choices.find(({ number }) => String(number) === key.text);
  // Whoever writes a text means its digits as text: they decide again after a moment without a key.
  return numbered ? outcome(numbered, next) : { type: "pass", question: { ...next, isArmed: false } };
}

const outcome = ({ does }: QuestionChoice, question: OpenQuestion): KeyOutcome =>
  "answer" in does
    ? { type: "answer", answer: does.answer }
    : { type: "write", question, purpose: does.write, from: does.from };
