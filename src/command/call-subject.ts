// What a tool call is about, in a few words of its own arguments: every face shows it.
import { isRecord } from "../base/json.ts";
import { factsOf } from "../schema/own-tool.ts";

const SHOWN_NAMES = 3;

/** Undefined for tools of others, and for arguments that say nothing. Not clipped, and secrets are not taken out. */
export function callSubject(name: string, args: unknown): string | undefined {
  if (!isRecord(args)) return undefined;
  for (const { argument, isGlob, lines, places = [] } of factsOf(name)?.subject ?? []) {
    const text = args[argument];
    if (typeof text !== "string") continue;
    const where = places.map((place) => args[place]).filter((place) => typeof place === "string");
    const about = `${isGlob ? alternatives(text) : text}${lines === undefined ? "" : linesOf(args[lines])}`;
    return where.length > 0 ? `${about} in ${where.join(", ")}` : about;
  }
  return undefined;
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
