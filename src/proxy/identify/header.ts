// Request headers as the proxy reads them.
import type { Headers } from "../contract.ts";

/** From Node's `rawHeaders`; names in lower case, values of a repeated name joined. */
export function headersOf(raw: readonly string[]): Headers {
  const values = new Map<string, string>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? "").toLowerCase();
    const before = values.get(name);
    const value = raw[i + 1] ?? "";
    values.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(values);
}

const strict = new TextDecoder("utf-8", { fatal: true });

/** Node hands over bytes as Latin-1; this is the text that they spell in UTF-8, undefined when they spell none. */
export function utf8(value: string): string | undefined {
  try {
    return strict.decode(Buffer.from(value, "latin1"));
  } catch {
    return undefined; // bytes that are no UTF-8: the caller decides what that means
  }
}
