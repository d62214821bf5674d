// The system prompts of an open session: where it runs, its instructions within their bound, and what takes the room.
import { release } from "node:os";
import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import { renderAgentPrompt } from "../../agent/catalog/system-prompt.ts";
import { skillsList } from "../../agent/skill/list.ts";
import type { Skills } from "../../agent/skill/load.ts";
import { boundTokens, type Fragment } from "../../context/fragment/fragment.ts";
import { findInstructions } from "../../context/instruction/find.ts";
import { pinnedSections } from "../../context/instruction/pin.ts";
import { renderInstructions } from "../../context/instruction/render.ts";
import { environmentText, renderSystemPrompt } from "../../context/system-prompt.ts";
import type { Contributor } from "../../context/usage/unreclaimable.ts";
import { isInside } from "../../host/paths.ts";
import type { Conversation } from "../../session/session.ts";
import type { Tool } from "../../tool/contract.ts";
import type { Workspace } from "../workspace.ts";

export type ActorPrompt = {
  text: string;
  warnings: { type: string; message: string }[];
  /** Parts that a user can make smaller. */
  contributors: Contributor[];
  /** What is remembered, by where it comes from. */
  memory: { source: string; text: string }[];
};

/** Where the session runs: the same for all its actors. */
export type PromptPlace = { workspace: Workspace; main: Conversation };

type MainPromptInput = {
  promptLimit: number;
  /** The text of the agent that the session runs as, in place of the usual identity. */
  identity: string | undefined;
  fragments: Fragment[];
  /** Memories, bounded where they are chosen. */
  memorySection: string;
};

export function mainPrompt(place: PromptPlace, input: MainPromptInput): ActorPrompt {
  const { main } = place;
  const { identity, memorySection } = input;
  const { instructions, files } = projectInstructions(place, input.promptLimit);
  const text = renderSystemPrompt({
    ...surroundings(main),
    mode: main.state.mode,
    sessionDir: main.dir,
    instructions: instructions.text,
    extra: [...input.fragments, { text: memorySection, maxTokens: Number.POSITIVE_INFINITY }],
    ...(identity === undefined ? {} : { identity }),
  });
  const memory = memorySection === "" ? [] : [{ source: "memories", text: memorySection }];
  const contributors = [
    ...files.map((f) => ({ name: f.path, tokens: boundTokens(f.text) })),
    ...memory.map((m) => ({ name: m.source, tokens: boundTokens(m.text) })),
  ];
  return { text, warnings: instructions.warnings, contributors, memory };
}

/** Nothing of where it runs, no instructions, no memories: only what it works on. */
export function consolidationPrompt(definition: AgentDefinition, consolidation: string): ActorPrompt {
  const text = renderAgentPrompt(definition, { environment: "", instructions: "", consolidation });
  const memory = consolidation === "" ? [] : [{ source: "board", text: consolidation }];
  return { text, warnings: [], contributors: [], memory };
}

/** A prompt that is only text. */
export const plainPrompt = (text: string): ActorPrompt => ({ text, warnings: [], contributors: [], memory: [] });

/** What a subagent's prompt may be made of, beside its own. */
export function promptInput(place: PromptPlace, promptLimit: number): { environment: string; instructions: string } {
  return {
    environment: environmentText(surroundings(place.main)),
    instructions: projectInstructions(place, promptLimit).instructions.text,
  };
}

/** What the user's own instruction files pin, and those of a folder that is trusted. */
export function pinnedInstructions(place: PromptPlace, promptLimit: number): string {
  const { paths, trust } = place.workspace;
  const { files } = projectInstructions(place, promptLimit);
  return pinnedSections(files.filter(({ path }) => trust.trusted || isInside(path, paths.home)));
}

/** Skills, where they can be invoked, and the words of servers. */
export function toolFragments(skills: Skills, offered: readonly Tool[], serverWords: readonly string[]): Fragment[] {
  const list = offered.some((tool) => tool.group === "skill") ? skillsList(skills.skills) : undefined;
  return [
    ...(list ? [list] : []),
    ...serverWords.map((text): Fragment => ({ text, maxTokens: Number.POSITIVE_INFINITY })), // bounded where they are read
  ];
}

const surroundings = ({ state, root }: Conversation) => ({
  context: state.context,
  root,
  os: `${process.platform} ${release()}`,
  shell: "bash",
  date: state.createdAt.slice(0, 10),
});

/** The room that instruction files have in a request. */
export const instructionTokens = ({ settings }: Pick<Workspace, "settings">, promptLimit: number): number =>
  Math.min(settings.values["instructions.maxTokens"], Math.floor(promptLimit / 10));

function projectInstructions({ workspace, main }: PromptPlace, promptLimit: number) {
  const texts = findInstructions({ home: workspace.paths.home, root: main.root, cwd: main.state.context.cwd });
  const maxTokens = instructionTokens(workspace, promptLimit);
  return {
    files: texts.files,
    instructions: renderInstructions(texts, { maxTokens, trusted: workspace.trust.trusted }),
  };
}
