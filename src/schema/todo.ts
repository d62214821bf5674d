// Todos of a session and their dependencies.
import * as z from "zod";

const todoStatus = z.enum(["pending", "in_progress", "done", "blocked"]);
export const todo = z.looseObject({
  id: z.string(),
  title: z.string(),
  description: z.string().nullable().optional(),
  status: todoStatus,
  created_at: z.string().nullable().optional(),
  updated_at: z.string().nullable().optional(),
});
export type Todo = z.infer<typeof todo>;
export const todoDep = z.looseObject({ todo_id: z.string(), depends_on: z.string() });
export type TodoDep = z.infer<typeof todoDep>;
