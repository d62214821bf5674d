// Items in their bytes, and which of them a text of ours may go into.
import { isRecord } from "../../base/json.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";
import type { ByteSpan, ScannedBody } from "../contract.ts";

/** The member of the body that holds its history. */
export const historyIn = ({ value, wire }: Pick<ScannedBody, "value" | "wire">): unknown =>
  value[wireOf(wire).history.key];

/** An item in bytes and as a value: one of the body, or one that was made. */
export type ItemBytes = { bytes: Buffer; span: ByteSpan; value: unknown };

export function sourceOf(body: ScannedBody, item: number | string): ItemBytes {
  if (typeof item === "string") {
    const bytes = Buffer.from(item);
    return { bytes, span: { start: 0, end: bytes.length }, value: JSON.parse(item) };
  }
  const span = body.items[item];
  if (!span) throw new Error(`The history has no item ${item}.`);
  const history = historyIn(body);
  return { bytes: body.bytes, span, value: Array.isArray(history) ? history[item] : history };
}

/** What a text of ours would be added to: a text or a list of parts. Undefined: the item can take none. */
export function contentOf({ value }: ItemBytes, wire: WireName): string | readonly unknown[] | undefined {
  // A plain text that stands for the history.
  if (typeof value === "string") return value;
  const { mayTake, holder, holdsText } = wireOf(wire).message;
  if (!isRecord(value) || !mayTake(value)) return undefined;
  const content = value[holder];
  if (Array.isArray(content)) return content;
  return typeof content === "string" && holdsText ? content : undefined;
}

/** Whether texts can be added to this item, given by its index or as JSON; `assemble` throws for one that cannot. */
export const canTake = (body: ScannedBody, item: number | string): boolean =>
  contentOf(sourceOf(body, item), body.wire) !== undefined;
