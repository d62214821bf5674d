// References worth remembering in a text: commits, pull requests, issues, addresses.
type FoundRef = { type: "commit" | "pull_request" | "issue" | "url"; value: string };

const URL_PATTERN = /https?:\/\/[^\s"'`<>\\)\]}]{4,500}/g;
const COMMIT = /\bcommit ([0-9a-f]{7,40})\b|^\[[^\]\n]{1,100} ([0-9a-f]{7,40})\]/gm;
/** A tool result may be long; its references stand near the beginning or nowhere that matters. */
export const LOOK_AT = 65_536;
const MOST = 50;

export function findRefs(text: string): FoundRef[] {
  const refs = new Map<string, FoundRef>();
  const add = (type: FoundRef["type"], value: string) => {
    if (refs.size < MOST) refs.set(`${type} ${value}`, { type, value });
  };
  const part = text.slice(0, LOOK_AT);
  for (const [url] of part.matchAll(URL_PATTERN)) {
    const clean = url.replace(/[.,;:!?]+$/, "");
    if (/\/pull\/\d+/.test(clean)) add("pull_request", clean);
    else if (/\/issues\/\d+/.test(clean)) add("issue", clean);
    else add("url", clean);
  }
  for (const match of part.matchAll(COMMIT)) add("commit", match[1] ?? match[2] ?? "");
  return [...refs.values()];
}
