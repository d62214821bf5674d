// The events of hooks: every run is a pair, and no value in them is longer than its bound.
import { clip } from "../base/text.ts";
import type { EventData } from "../schema/event/envelope.ts";

/** Resolves when the event is in the log. */
export type EmitHook = <T extends "hook.start" | "hook.end" | "hook.block_limit">(
  type: T,
  data: EventData<T>,
  agentId?: string,
) => Promise<unknown>;

const MAX_VALUE = 8000;

/** Each value whose text is longer than the bound becomes the beginning of that text. */
export function cutValues(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => {
        const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
        return [key, text.length > MAX_VALUE ? clip(text, MAX_VALUE) : value];
      }),
  );
}
