// A memory that is asked about, shown whole: what would be kept, for whom, and where its words come from.
import { type MemoryRequest, originsText } from "../schema/permission.ts";
import { shown } from "./shown.ts";

/** Never cut: what is approved is exactly what is read. Empty when the request says nothing but its summary. */
export function memoryLines(request: MemoryRequest): string[] {
  const { action, subject, fact, citations = [], reason, similar = [], warnings = [] } = request;
  if (fact === undefined) return [];
  const what =
    action === "vote" ? `Vote a memory ${request.direction === "downvote" ? "down" : "up"}` : "Store a memory";
  return [
    `${what}, ${scopeText(request)}`,
    ...line("Subject", subject),
    ...line("Fact", fact),
    ...citations.flatMap((citation, at) => line("Cited", `${citation}${stateText(request.citationStates?.[at])}`)),
    ...line("Reason", reason),
    ...(action === "vote" ? [] : [`  Comes from: ${shown(originsText(request.origins ?? []))}`]),
    ...similar.flatMap(({ id, fact: other, relation }) => line(`Similar (${relation} of ${id})`, other)),
    ...warnings.flatMap((warning) => line("Warning", warning)),
  ];
}

const STATES: Readonly<Record<string, string>> = {
  verified: " (it is there)",
  moved: " (moved)",
  changed: " (changed since)",
  missing: " (stale: it is not there)",
  unverifiable: " (cannot be checked)",
};
const stateText = (state: string | undefined): string => (state === undefined ? "" : (STATES[state] ?? ` (${state})`));

const line = (label: string, text: string | undefined): string[] =>
  text === undefined ? [] : [`  ${shown(`${label}: ${text}`)}`];

const scopeText = ({ scope, repository }: MemoryRequest): string =>
  scope === "user"
    ? "for all your projects (scope user)"
    : `for this repository (scope repository${repository === undefined ? "" : `: ${shown(repository)}`})`;
