// What a tool call is about, in a few words of its own arguments: every face shows it.
import { isRecord } from "../base/json.ts";

/** The argument that says what a call is about; the first that is there counts. */
const SUBJECTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    bash: ["command"],
    create: ["path"],
    edit: ["path"],
    glob: ["pattern"],
    grep: ["description", "pattern"],
    recall: ["query", "id", "around"],
    session_store_sql: ["description", "query"],
    sql: ["description", "query"],
    store_memory: ["fact"],
    task: ["description"],
    view: ["path"],
    web_fetch: ["url"],
  }),
);

const SHOWN_NAMES = 3;

/** Undefined for tools of others, and for arguments that say nothing. Not clipped, and secrets are not taken out. */
export function callSubject(name: string, args: unknown): string | undefined {
  if (!isRecord(args)) return undefined;
  const subject = SUBJECTS.get(name)
    ?.map((key) => args[key])
    .find((value) => typeof value === "string");
  if (subject === undefined) return undefined;
  if (name === "glob") return alternatives(subject);
  if (name === "view") return `${subject}${linesOf(args["view_range"])}`;
  if (name !== "grep" || args["description"] !== undefined) return subject;
  const places = [args["glob"], args["path"]].filter((place) => typeof place === "string");
  return places.length > 0 ? `${subject} in ${places.join(", ")}` : subject;
}

/** `{a,b,c,d,e}` names files; the first few tell what is looked for. */
function alternatives(pattern: string): string {
  const names = /^\{([^{}]*)\}$/.exec(pattern)?.[1]?.split(",") ?? [];
  if (names.length <= SHOWN_NAMES + 1) return pattern;
  return `${names.slice(0, SHOWN_NAMES).join(", ")} and ${names.length - SHOWN_NAMES} other names`;
}

function linesOf(range: unknown): string {
  const [first, last] = Array.isArray(range) ? range : [];
  if (typeof first !== "number" || typeof last !== "number") return "";
  return last === -1 ? `, from line ${first}` : `, lines ${first} to ${last}`;
}
