// What a session knows about where it runs.
import * as z from "zod";

export const sessionContext = z.looseObject({
  cwd: z.string(),
  gitRoot: z.string().optional(),
  repository: z.string().optional(),
  branch: z.string().optional(),
  headCommit: z.string().optional(),
});
export type SessionContext = z.infer<typeof sessionContext>;

export const agentMode = z.enum(["interactive", "plan", "autopilot", "research"]);

export const workspace = z.looseObject({
  id: z.string(),
  cwd: z.string(),
  git_root: z.string().optional(),
  repository: z.string().optional(),
  branch: z.string().optional(),
  name: z.string(),
  user_named: z.boolean(),
  model: z.string(),
  mode: agentMode,
  summary_count: z.number(),
  fork_count: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type WorkspaceSummary = z.infer<typeof workspace>;
