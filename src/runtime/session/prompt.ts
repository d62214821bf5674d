// The system prompt of an open session: where it runs, its instructions within their bound, and what takes the room.
import { release } from "node:os";
import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import { renderAgentPrompt } from "../../agent/catalog/system-prompt.ts";
import { boundTokens } from "../../context/fragment/fragment.ts";
import { findInstructions } from "../../context/instruction/find.ts";
import { pinnedSections } from "../../context/instruction/pin.ts";
import { renderInstructions } from "../../context/instruction/render.ts";
import { environmentText, renderSystemPrompt } from "../../context/system-prompt.ts";
import type { Contributor } from "../../context/usage/unreclaimable.ts";
import { isInside } from "../../permission/path.ts";
import type { LiveSession } from "./live-session.ts";

export type SessionPrompt = {
  text: string;
  warnings: { type: string; message: string }[];
  /** Parts that a user can make smaller. */
  contributors: Contributor[];
  /** What is remembered, by where it comes from. */
  memory: MemoryText[];
};

export type MemoryText = { source: string; text: string };

export function sessionPrompt(live: LiveSession): SessionPrompt {
  const { session } = live;
  const selected = live.agents.selected();
  if (selected?.promptParts.includeConsolidationPrompt) return consolidationPrompt(live, selected);
  const { instructions, files } = projectInstructions(live, live.limits.promptLimit);
  const identity = selected?.prompt;
  const text = renderSystemPrompt({
    ...surroundings(live),
    mode: session.state.mode,
    sessionDir: session.dir,
    instructions: instructions.text,
    extra: [
      ...live.extensions.promptFragments(live.offered()),
      { text: live.memory.section(), maxTokens: Number.POSITIVE_INFINITY }, // bounded where it is made
    ],
    ...(identity === undefined ? {} : { identity }),
  });
  const section = live.memory.section();
  const memory = section === "" ? [] : [{ source: "memories", text: section }];
  const contributors = [
    ...files.map((f) => ({ name: f.path, tokens: boundTokens(f.text) })),
    ...memory.map((m) => ({ name: m.source, tokens: boundTokens(m.text) })),
  ];
  return { text, warnings: instructions.warnings, contributors, memory };
}

/** Nothing of where it runs, no instructions, no memories: only what it works on. */
function consolidationPrompt({ consolidation }: LiveSession, definition: AgentDefinition): SessionPrompt {
  const input = { environment: "", instructions: "", consolidation: consolidation?.text ?? "" };
  const memory = input.consolidation === "" ? [] : [{ source: "board", text: input.consolidation }];
  return { text: renderAgentPrompt(definition, input), warnings: [], contributors: [], memory };
}

/** What a subagent's prompt may be made of, beside its own. */
export function promptInput(live: LiveSession, promptLimit: number): { environment: string; instructions: string } {
  return {
    environment: environmentText(surroundings(live)),
    instructions: projectInstructions(live, promptLimit).instructions.text,
  };
}

/** What the user's own instruction files pin, and those of a folder that is trusted. */
export function pinnedInstructions(live: LiveSession): string {
  const { paths, trust } = live.ground;
  const { files } = projectInstructions(live, live.limits.promptLimit);
  return pinnedSections(files.filter(({ path }) => trust.trusted || isInside(path, paths.home)));
}

const surroundings = ({ session }: LiveSession) => ({
  context: session.state.context,
  root: session.root,
  os: `${process.platform} ${release()}`,
  shell: "bash",
  date: session.state.createdAt.slice(0, 10),
});

function projectInstructions({ ground, session }: LiveSession, promptLimit: number) {
  const found = findInstructions({ home: ground.paths.home, root: session.root, cwd: session.state.context.cwd });
  const maxTokens = Math.min(ground.settings.values["instructions.maxTokens"], Math.floor(promptLimit / 10));
  return { files: found.files, instructions: renderInstructions(found, { maxTokens, trusted: ground.trust.trusted }) };
}
