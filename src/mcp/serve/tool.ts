// A tool that we serve to other programs: its operation is given by the runtime, its answer is bounded.
import * as z from "zod";
import type { Result } from "../../base/result.ts";

/** Who asks, and from where: the first root that the client names, else the folder of this process. */
export type ServeContext = {
  /** Absent over HTTP without a root: then only what belongs to the user. */
  folder?: string;
  /** The client as records name it: `mcp:<client name>`. */
  client: string;
  /** The same for every call of one connection. */
  connection: object;
  signal: AbortSignal;
};

/** Must not reject; the error is a sentence for the model. */
type Operation<Input> = (input: Input, context: ServeContext) => Promise<Result<string, string>>;

export type ServedTool = {
  name: string;
  description: string;
  input: z.ZodType;
  readOnly: boolean;
  run: Operation<unknown>;
};

const limit = z.number().int().min(1).max(50).default(10);
const search = z.strictObject({
  query: z.string().min(1).max(10_000).describe("Words, names or an exact phrase; or a ref such as t12.2."),
  limit: limit.describe("Most results, 1 to 50."),
});
export type SearchInput = z.infer<typeof search>;

/** Ties the input's type to the operation. */
export function served<T>(
  tool: Omit<ServedTool, "input" | "run"> & { input: z.ZodType<T>; run: Operation<T> },
): ServedTool {
  return tool as ServedTool;
}

export const recallServed = (run: Operation<SearchInput>): ServedTool =>
  served({
    name: "recall",
    description:
      "Searches what is remembered of this repository: memories, board items, and what was said and done in earlier sessions. Returns snippets with refs, each with its kind; a query that is a ref or an id gives the exact original.",
    input: search,
    readOnly: true,
    run,
  });

export const searchSessionsServed = (run: Operation<SearchInput>): ServedTool =>
  served({
    name: "search_sessions",
    description:
      "Finds earlier sessions of this repository by what they were about. Returns their ids, dates and topics.",
    input: search,
    readOnly: true,
    run,
  });
