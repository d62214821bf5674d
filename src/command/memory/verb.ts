// What every verb of `memory` works on.
import type { MemoryAccess } from "../../runtime/client/memory.ts";
import type { CommandContext } from "../contract.ts";

/** What a verb gets: the memories, which of them are meant, and who called. */
export type MemoryVerbCall<Options = object> = {
  memory: MemoryAccess;
  args: string[];
  options: Options;
  at: CommandContext;
};
