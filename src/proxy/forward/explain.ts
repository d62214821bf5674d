// Headers that tell a client what was done with its request; counts and names, no content.
import type { RequestNote } from "../contract.ts";

type Explained = Partial<Omit<RequestNote, "recalled">> & { request: string; recalled?: number };

const FIELDS = [
  "request",
  "session",
  "sessionSignal",
  "lane",
  "kind",
  "action",
  "window",
  "tokensIn",
  "tokensSent",
  "epoch",
  "dropped",
  "stored",
  "recalled",
  "recallLost",
] as const satisfies readonly (keyof Explained)[];
/** `tokensIn` is told in `X-Everlong-Tokens-In`. */
const NAMES = FIELDS.map((field) => {
  const words = field.split(/(?=[A-Z])/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return [field, ["X-Everlong", ...words].join("-")] as const;
});
const MAX_CHARS = 200;

/** Raw headers; a field without a value has none. */
export function explainHeaders(explained: Explained): string[] {
  const shown = (value: string | number): string =>
    String(value)
      .replace(/[^\x20-\x7e]/g, "_")
      .slice(0, MAX_CHARS);
  return NAMES.flatMap(([field, name]) => {
    const value = explained[field];
    return value === undefined ? [] : [name, shown(value)];
  });
}
