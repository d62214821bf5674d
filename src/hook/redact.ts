// Secrets kept from hooks: each text of a payload is filtered, and what a hook hands back unchanged gets its own text again.
import { isRecord } from "../base/json.ts";

export type Redact = (text: string) => string;

export type Redacted<T> = {
  value: T;
  /** Puts back what was hidden, wherever a text is still the very mark that the hook was given. */
  restore: <V>(value: V) => V;
};

export function redactValue<T>(value: T, redact: Redact): Redacted<T> {
  const hidden = new Map<string, string>();
  const hide = (key: string, text: string): string => {
    const shown = redactField(key, text, redact);
    // One mark for two texts can be neither of them again.
    if (shown !== text) hidden.set(shown, (hidden.get(shown) ?? text) === text ? text : shown);
    return shown;
  };
  return {
    value: mapTexts(value, hide) as T,
    restore: (given) =>
      (hidden.size === 0 ? given : mapTexts(given, (_key, text) => hidden.get(text) ?? text)) as typeof given,
  };
}

/** A value may be recognisable only beside its name: `password` and a plain word. */
function redactField(key: string, text: string, redact: Redact): string {
  const shown = redact(text);
  if (shown !== text || key === "" || text.includes("\n")) return shown;
  const start = `${key}=`;
  const named = redact(start + text);
  return named.startsWith(start) ? named.slice(start.length) : shown;
}

function mapTexts(value: unknown, change: (key: string, text: string) => string, key = ""): unknown {
  if (typeof value === "string") return change(key, value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change, key));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapTexts(one, change, name)]));
}
