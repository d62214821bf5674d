// Modes and models as an editor offers them for choice.
import type { SessionConfigOption, SessionMode, SessionModeState } from "@agentclientprotocol/sdk";
import type { Client } from "../runtime/client.ts";

const modes = [
  { id: "interactive", name: "Interactive", description: "Asks before it changes anything that you have not allowed" },
  { id: "plan", name: "Plan", description: "Makes a plan first; nothing changes until you accept it" },
  { id: "autopilot", name: "Autopilot", description: "Works on without asking until the task is done" },
] as const satisfies readonly SessionMode[];

type EditorMode = (typeof modes)[number]["id"];

export const isEditorMode = (mode: string): mode is EditorMode => modes.some(({ id }) => id === mode);

/** Research has no place in an editor's list: while it runs, the list shows the mode that a prompt would have. */
const shownMode = (client: Client): EditorMode => {
  const mode = client.mode.get();
  return isEditorMode(mode) ? mode : "interactive";
};

export const modeState = (client: Client): SessionModeState => ({
  currentModeId: shownMode(client),
  availableModes: [...modes],
});

/** The same modes once more, for clients that show options and no modes, and the models that `/model` lists. */
export const configOptions = (client: Client): SessionConfigOption[] => [
  {
    type: "select",
    id: "mode",
    name: "Mode",
    category: "mode",
    currentValue: shownMode(client),
    options: modes.map(({ id, name, description }) => ({ value: id, name, description })),
  },
  {
    type: "select",
    id: "model",
    name: "Model",
    category: "model",
    currentValue: client.view().model,
    options: client.model.list().map(({ id, promptLimit }) => ({
      value: id,
      name: id,
      description: `prompts up to ${promptLimit} tokens`,
    })),
  },
];
