// One line for a person about a tool call: what it is about, in plain text; the whole arguments are in the log.
import { clip, visible } from "../../base/text.ts";
import { callSubject } from "../../command/call-subject.ts";

/** No more than this of a long argument is looked at, from its beginning. */
const SEEN_CHARS = 65_536;
const SHOWN_CHARS = 160;

/** `redact` is the secret filter. It comes before any cut: half a key is still a key. */
export function toolLine(name: string, args: unknown, redact: (text: string) => string): string {
  const clean = (text: string): string => redact(text.slice(0, SEEN_CHARS));
  const subject = callSubject(name, args);
  const text =
    subject === undefined
      ? (JSON.stringify(args, (_key, value) => (typeof value === "string" ? clean(value) : value)) ?? "")
      : visible(clean(subject).replace(/\s+/g, " ").trim());
  return `• ${name} ${clip(text, SHOWN_CHARS)}`;
}
