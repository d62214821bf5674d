// Stop hooks may send an agent back to work, but not for ever.
import { escapeTags } from "../base/tag.ts";
import type { HookOutcome } from "./merge.ts";

type AfterStop =
  /** The agent ends with its latest response. */
  | { type: "end" }
  /** One more turn, with the reason as its prompt. */
  | { type: "again"; prompt: string; blocks: number }
  /** Blocked once too often: it ends all the same, and `hook.block_limit` says so. */
  | { type: "limit"; blocks: number };

/** `blocks`: how often stop hooks have blocked since the last message of the user or of `write_agent`. */
export function afterStop(outcome: Pick<HookOutcome, "block">, blocks: number, maxBlocks: number): AfterStop {
  if (!outcome.block) return { type: "end" };
  if (blocks >= maxBlocks) return { type: "limit", blocks };
  return { type: "again", prompt: escapeTags(outcome.block.reason), blocks: blocks + 1 };
}
