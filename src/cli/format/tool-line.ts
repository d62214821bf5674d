// One line for a person about a tool call: what it is about, in plain text; the whole arguments are in the log.
import { isRecord } from "../../base/json.ts";
import { clip, visible } from "../../base/text.ts";

/** Of a long argument only the beginning is looked at. */
const SEEN_CHARS = 65_536;
const SHOWN_CHARS = 160;

/** The argument that says what a call is about; the first that is there counts. */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  bash: ["command"],
  create: ["path"],
  edit: ["path"],
  glob: ["pattern"],
  grep: ["description", "pattern"],
  recall: ["query", "id", "around"],
  session_store_sql: ["description", "query"],
  sql: ["description", "query"],
  store_memory: ["fact"],
  view: ["path"],
  web_fetch: ["url"],
};

/** `redact` is the secret filter. It comes before any cut: half a key is still a key. */
export function toolLine(name: string, args: unknown, redact: (text: string) => string): string {
  const clean = (text: string): string => redact(text.slice(0, SEEN_CHARS));
  const subject = isRecord(args) ? subjectOf(name, args) : undefined;
  const text =
    subject === undefined
      ? (JSON.stringify(args, (_key, value) => (typeof value === "string" ? clean(value) : value)) ?? "")
      : visible(clean(subject).replace(/\s+/g, " ").trim());
  return `• ${name} ${clip(text, SHOWN_CHARS)}`;
}

function subjectOf(name: string, args: Record<string, unknown>): string | undefined {
  const subject = SUBJECTS[name]?.map((key) => args[key]).find((value) => typeof value === "string");
  if (subject === undefined) return undefined;
  if (name === "view") return `${subject}${linesOf(args["view_range"])}`;
  if (name !== "grep" || args["description"] !== undefined) return subject;
  const places = [args["glob"], args["path"]].filter((place) => typeof place === "string");
  return places.length > 0 ? `${subject} in ${places.join(", ")}` : subject;
}

function linesOf(range: unknown): string {
  const [first, last] = Array.isArray(range) ? range : [];
  if (typeof first !== "number" || typeof last !== "number") return "";
  return last === -1 ? `, from line ${first}` : `, lines ${first} to ${last}`;
}
