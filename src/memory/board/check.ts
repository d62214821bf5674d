// What may go on the board: filtered for secrets first, then held to its bounds; nothing is cut silently.
import { fail, ok, type Result } from "../../base/result.ts";
import type { FilteredText, Redactor } from "../secret/filter.ts";
import type { ItemText } from "./item.ts";

export type BoardRefusal = { code: "invalid_inputs" | "filter_failed"; message: string };

export const NAME_RULE =
  "a name is kebab-case (small letters, digits, single hyphens between them), up to 64 characters";
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX = { name: 64, description: 200, content: 8000 } as const;
type Field = keyof typeof MAX;

/** `redactions`: how many secrets were replaced. */
type Checked = { text: ItemText; redactions: number };

/** `called`: what the caller's own form calls the content. */
export function checkItem(
  redactor: Redactor,
  texts: Record<Field, string>,
  called = "content",
): Result<Checked, BoardRefusal> {
  const filtered = redactor.fields(texts);
  if (!filtered.ok) return fail({ code: "filter_failed", message: FILTER_FAILED });
  const { name, description, content } = filtered.value;
  const wrong = [
    nameFault(name.text),
    fault("description", description.text, MAX.description),
    fault(called, content.text, MAX.content),
  ];
  if (/[\r\n\u2028\u2029]/.test(description.text)) wrong.push("description must be one line");
  const faults = wrong.filter((one) => one !== undefined);
  if (faults.length > 0) return fail({ code: "invalid_inputs", message: `${faults.join("; ")}.` });
  const redactions = [name, description, content].reduce((sum, { findings }) => sum + findings.length, 0);
  return ok({ text: { name: name.text, description: description.text, content: content.text }, redactions });
}

/** A name to look for. */
export function checkName(redactor: Redactor, wanted: string): Result<FilteredText, BoardRefusal> {
  const name = redactor.text(wanted);
  if (!name.ok) return fail({ code: "filter_failed", message: FILTER_FAILED });
  const wrong = nameFault(name.value.text);
  return wrong === undefined ? ok(name.value.text) : fail({ code: "invalid_inputs", message: `${wrong}.` });
}

const FILTER_FAILED = "The text could not be checked for secrets.";

const characters = (text: string): number => [...text].length;

function fault(field: string, text: string, most: number): string | undefined {
  const length = characters(text);
  if (text.trim() === "") return `${field} is missing (1 to ${most} characters)`;
  return length > most ? `${field} has ${length} characters; the maximum is ${most}` : undefined;
}

function nameFault(name: string): string | undefined {
  if (NAME.test(name) && name.length <= MAX.name) return undefined;
  const near = suggestedName(name);
  return `name: ${NAME_RULE}${near === "" ? "" : `; for example "${near}"`}`;
}

/** The nearest name that fits; empty when nothing of it does. */
function suggestedName(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX.name)
    .replace(/^-+|-+$/g, "");
}
