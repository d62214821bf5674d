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

const workspace = z.looseObject({
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

/** A record of a session's log that cannot be read, as people are told of it. `file`: where the end of the log was moved to. */
export function damageText(damage: { line: number; offset: number; bytes: number; file?: string | undefined }): string {
  const { line, offset, bytes, file } = damage;
  const where = `(${bytes} bytes at offset ${offset})`;
  return file
    ? `Line ${line} of events.jsonl is incomplete ${where}. ${line - 1} events were read; the rest was moved to ${file}. You can go on.`
    : `Line ${line} of events.jsonl is damaged ${where}. It is left in place and skipped; the others were read. You can go on.`;
}
