// The system prompt of an open session: where it runs, its instructions within their bound, and what takes the room.
import { release } from "node:os";
import { boundTokens } from "../context/fragment/fragment.ts";
import { findInstructions } from "../context/instruction/find.ts";
import { renderInstructions } from "../context/instruction/render.ts";
import { renderSystemPrompt } from "../context/system-prompt.ts";
import type { Contributor } from "../context/usage/unreclaimable.ts";
import type { Session } from "../session/session.ts";
import type { Ground } from "./start.ts";

export type SessionPrompt = {
  text: string;
  warnings: { type: string; message: string }[];
  /** Parts that a user can make smaller. */
  contributors: Contributor[];
};

export function sessionPrompt(ground: Ground, session: Session, promptLimit: number): SessionPrompt {
  const { context, mode, createdAt } = session.state;
  const files = findInstructions({ home: ground.paths.home, root: session.root, cwd: context.cwd });
  const maxTokens = Math.min(ground.settings.values["instructions.maxTokens"], Math.floor(promptLimit / 10));
  const instructions = renderInstructions(files, { maxTokens, trusted: ground.trust.trusted });
  const text = renderSystemPrompt({
    context,
    root: session.root,
    os: `${process.platform} ${release()}`,
    shell: "bash",
    date: createdAt.slice(0, 10),
    mode,
    sessionDir: session.dir,
    instructions: instructions.text,
  });
  const contributors = files.map((f) => ({ name: f.path, tokens: boundTokens(f.text) }));
  return { text, warnings: instructions.warnings, contributors };
}
