// Headers that tell a client what was done with its request; counts and names, no content.
import type { RequestAction, RequestKind } from "../contract.ts";

type Explained = {
  request: string;
  session?: string | undefined;
  sessionSignal?: string | undefined;
  lane?: number | undefined;
  kind?: RequestKind | undefined;
  action: RequestAction;
  window?: number | undefined;
  tokensIn?: number | undefined;
  tokensSent?: number | undefined;
  epoch?: number | undefined;
  dropped?: number | undefined;
  stored?: number | undefined;
  recalled?: number | undefined;
  recallLost?: string | undefined;
};

const NAMES: readonly (readonly [keyof Explained, string])[] = [
  ["request", "X-Everlong-Request"],
  ["session", "X-Everlong-Session"],
  ["sessionSignal", "X-Everlong-Session-Signal"],
  ["lane", "X-Everlong-Lane"],
  ["kind", "X-Everlong-Kind"],
  ["action", "X-Everlong-Action"],
  ["window", "X-Everlong-Window"],
  ["tokensIn", "X-Everlong-Tokens-In"],
  ["tokensSent", "X-Everlong-Tokens-Sent"],
  ["epoch", "X-Everlong-Epoch"],
  ["dropped", "X-Everlong-Dropped"],
  ["stored", "X-Everlong-Stored"],
  ["recalled", "X-Everlong-Recalled"],
  ["recallLost", "X-Everlong-Recall-Lost"],
];
const MAX_CHARS = 200;

/** Raw. Fields without a value have no header. */
export function explainHeaders(explained: Explained): string[] {
  return NAMES.flatMap(([field, name]) => {
    const value = explained[field];
    return value === undefined
      ? []
      : [
          name,
          String(value)
            .replace(/[^\x20-\x7e]/g, "_")
            .slice(0, MAX_CHARS),
        ];
  });
}
