// How a request's system text begins: what tells one agent of a client from another.
import { hash } from "node:crypto";
import { isRecord } from "../../base/json.ts";
import { listAt } from "../../model/wire/item.ts";
import { blocksOf } from "../../model/wire/part.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { ScannedBody } from "../contract.ts";

type Body = Pick<ScannedBody, "value" | "wire">;

const HEAD_CHARS = 500;
const HASH_CHARS = 32;
/** Claude's first line names its version, and other things that change from request to request. */
const VOLATILE = /^x-anthropic-billing-header:.*$/gm;

/** The field of its own, and leading system or developer items. */
export function systemText({ value, wire }: Body): string {
  const { history, request } = wireOf(wire);
  const parts = blocksOf(inField(request.system(value)));
  for (const raw of listAt(value, history.key)) {
    if (!isRecord(raw) || (raw["role"] !== "system" && raw["role"] !== "developer")) break;
    parts.push(...history.parts(raw));
  }
  return parts
    .flatMap((part) => (part.type === "text" ? part.text : []))
    .join("\n")
    .replace(VOLATILE, "")
    .trim();
}

/** A text, blocks, one part, or a whole content with parts. */
const inField = (system: unknown): unknown =>
  isRecord(system) && system["parts"] !== undefined ? system["parts"] : system;

/** The hash is keyed, as everything that is kept of a text. */
export const systemHead = (body: Body, key: string): string =>
  hash("sha256", `system\n${key}\n${systemText(body).slice(0, HEAD_CHARS)}`).slice(0, HASH_CHARS);
