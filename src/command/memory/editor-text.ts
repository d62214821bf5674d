// A memory as the text of an editor, and back: one line a field, easy to read and to change.
import { fail, ok, type Result } from "../../base/result.ts";
import type { MemoryRecord, MemoryTexts } from "../../runtime/client/memory.ts";

const HEAD = "# Save and close. Lines starting with # are ignored; write one `cite:` line per source.";
const FIELD = /^(subject|fact|cite|reason):\s*(.*)$/;

export const editorText = ({ subject, fact, reason, citations }: MemoryRecord): string =>
  [
    HEAD,
    `subject: ${subject}`,
    `fact: ${fact}`,
    ...citations.map(({ raw }) => `cite: ${raw}`),
    `reason: ${reason}`,
    "",
  ].join("\n");

/** A line without a name goes on with the field above it. */
export function readEditorText(text: string): Result<Required<MemoryTexts>, string> {
  const fields: { name: string; value: string }[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("#") || line.trim() === "") continue;
    const named = FIELD.exec(line);
    const last = fields.at(-1);
    if (named) fields.push({ name: named[1] ?? "", value: named[2] ?? "" });
    else if (last) last.value += ` ${line.trim()}`;
    else return fail(`"${line}" belongs to no field; fields begin with subject:, fact:, cite: or reason:.`);
  }
  const of = (name: string): string[] => fields.filter((f) => f.name === name).map(({ value }) => value);
  const one = (name: string): string => of(name).join(" ");
  return ok({ subject: one("subject"), fact: one("fact"), citations: of("cite"), reason: one("reason") });
}
