// recall: what was said and done before, found by an injected search.
import * as z from "zod";
import { clip } from "../../base/text.ts";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, failure, success, type Tool, type ToolContext } from "../contract.ts";
import description from "./recall.md";

const input = z.strictObject({
  query: z.string().min(1).optional(),
  id: z.string().min(1).optional().describe("A ref; gives the exact original."),
  scope: z.enum(["auto", "session", "branch", "repository", "workspace", "user", "all"]).optional(),
  kinds: z.array(z.enum(["turn", "tool", "checkpoint", "record", "board", "episode", "fact", "pin"])).optional(),
  since: z.string().optional().describe("Date or time, inclusive."),
  before: z.string().optional().describe("Date or time, exclusive."),
  order: z.enum(["relevance", "time"]).optional(),
  around: z.string().optional().describe("A turn's ref, such as t12."),
  window: z.number().int().min(0).max(50).optional().describe("Turns before and after `around`."),
  limit: z.number().int().min(1).optional().describe("At most 8."),
});
export type RecallRequest = z.infer<typeof input>;

export type RecallItem = { ref: string; kind: string; time?: string; text: string };
export type RecallResult =
  | { type: "original"; ref: string; text: string }
  /** Best first, or by time; `more` counts what is left out of `items`. */
  | { type: "found"; items: RecallItem[]; pinned?: string[]; more: number; searched: string; partial?: boolean }
  | { type: "refused"; message: string };

const MAX_ITEMS = 8;
const MAX_CHARS = 6000;

/** `search` must not reject; a request for one `id` (or a query that is a ref) is answered by `original`. */
export function recallTool(parts: {
  search: (request: RecallRequest, context: ToolContext) => Promise<RecallResult>;
}): Tool {
  return defineTool({
    ...ownTool("recall"),
    description,
    input,
    planMode: true,
    permissions: () => [],
    async run(request, context) {
      const bounds = [request.query, request.id, request.since, request.before, request.around];
      if (bounds.every((b) => b === undefined))
        return failure("invalid_inputs", 'One of "query", "id", "since", "before", "around" is needed.');
      const limit = Math.min(request.limit ?? MAX_ITEMS, MAX_ITEMS);
      const answer = await parts.search({ ...request, limit }, context);
      if (answer.type === "refused") return failure("invalid_inputs", answer.message);
      if (answer.type === "original") return success(`[${answer.ref}]\n${answer.text}`);
      return success(showFound(answer, limit));
    },
  });
}

function showFound(
  { items, pinned = [], more, searched, partial }: Extract<RecallResult, { type: "found" }>,
  limit: number,
): string {
  const shown: string[] = [];
  let room = MAX_CHARS;
  for (const item of items.slice(0, limit)) {
    const block = `[${item.ref}] ${[item.kind, item.time].filter(Boolean).join(", ")}\n${item.text}`;
    if (block.length > room && shown.length > 0) break;
    shown.push(clip(block, room));
    room -= block.length;
  }
  const pins = pinned.length > 0 ? [["[pins in force]", ...pinned.map((text) => `- ${text}`)].join("\n")] : [];
  const late = partial ? ["[not everything was searched in time]"] : [];
  if (shown.length === 0) return [`Nothing found (searched: ${searched}).`, ...late, ...pins].join("\n");
  const left = more + items.length - shown.length;
  return [
    ...pins,
    ...shown,
    ...late,
    ...(left > 0 ? [`[… ${left} more; narrow the query, or ask for a ref by id]`] : []),
  ].join("\n\n");
}
