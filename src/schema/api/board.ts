// `/api/memory/boards` and `/api/memory/board?repository&branch`: the context boards, their items and changes.
import * as z from "zod";
import { listOf } from "./list.ts";

const boardSummary = z.object({
  repository: z.string(),
  branch: z.string(),
  items: z.number(),
  /** How many of them are the user's own. */
  userItems: z.number(),
  capacity: z.number(),
  updatedAt: z.string(),
});
export const boardList = listOf(boardSummary);

const item = {
  src: z.enum(["agent", "user"]),
  name: z.string(),
  description: z.string(),
  readCount: z.number(),
  count: z.number(),
  version: z.number(),
  author: z.string(),
  source: z.object({
    session: z.string().exactOptional(),
    run: z.string().exactOptional(),
    turns: z.array(z.string()).exactOptional(),
  }),
  createdAt: z.string(),
  updatedAt: z.string(),
  lastReadAt: z.string().nullable(),
};
/** Rows of the board come without their content. */
const boardRowShape = z.object(item);
export const boardView = z.object({
  repository: z.string(),
  branch: z.string(),
  items: z.array(boardRowShape),
  capacity: z.number(),
});
/** `GET, PUT, DELETE …/board/items/{src}/{name}?repository&branch`; the ETag is `"v<version>"`. */
export const boardItemShape = z.object({ ...item, content: z.string() });
export type BoardItemShape = z.infer<typeof boardItemShape>;

/** `GET …/board/changes?repository&branch`, newest first. */
const boardChangeShape = z.object({
  id: z.number(),
  place: z.object({ repository: z.string(), branch: z.string() }),
  src: z.enum(["agent", "user"]),
  name: z.string(),
  action: z.string(),
  actor: z.string(),
  run: z.string().exactOptional(),
  at: z.string(),
  before: boardItemShape.exactOptional(),
  after: boardItemShape.exactOptional(),
});
export const boardChangeList = listOf(boardChangeShape);
/** `POST …/board/changes/{id or run}/undo {force?}`. */
export const boardUndone = z.object({ outcome: z.literal("undone"), items: z.array(z.string()) });
/** `POST …/board/adopt?repository&branch {from}`: items of another branch, by `src/name`. */
export const boardAdopted = z.object({
  copied: z.array(z.string()),
  clashed: z.array(z.string()),
  full: z.array(z.string()),
});
