// The two headers that tell the gateway who calls, in the forms that agents take headers in.
import type { Asked } from "./row.ts";

export const REPO = "X-Everlong-Repo";
export const TOKEN = "X-Everlong-Token";

export function ownHeaders(asked: Pick<Asked, "repositoryKey" | "gateway">): Record<string, string> {
  const repo = headerText(asked.repositoryKey);
  return { ...(repo === undefined ? {} : { [REPO]: repo }), [TOKEN]: asked.gateway.token };
}

/** A header carries bytes: each byte of the UTF-8 text becomes the character of that number. No line breaks. */
function headerText(text: string): string | undefined {
  return /\p{Cc}/u.test(text) ? undefined : Buffer.from(text, "utf8").toString("latin1");
}

/** `Name: value` joined to what the user has there; a header that the user sends already stays the user's. */
export function extendHeaders(
  theirs: string | undefined,
  ours: Readonly<Record<string, string>>,
  separator: string,
): string {
  const present = new Set((theirs ?? "").split(separator.trim() || separator).map((line) => nameOf(line)));
  const added = Object.entries(ours).filter(([name]) => !present.has(name.toLowerCase()));
  return [...(theirs?.trim() ? [theirs] : []), ...added.map(([name, value]) => `${name}: ${value}`)].join(separator);
}

const nameOf = (line: string): string =>
  line
    .slice(0, Math.max(0, line.indexOf(":")))
    .trim()
    .toLowerCase();
