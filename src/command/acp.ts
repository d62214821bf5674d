// `everlong acp`: the agent inside an editor. The face itself is loaded only when it starts.
import { optional } from "../base/optional.ts";
import type { Command, CommandCall } from "./contract.ts";

type Options = { model?: string; agent?: string; trustFolder?: boolean };

export const acp: Command = {
  name: "acp",
  summary: "run the agent inside an editor (Agent Client Protocol)",
  options: [
    { flags: "-m, --model <name>", help: "the model that new sessions use" },
    { flags: "--agent <name>", help: "run as that agent" },
    { flags: "--trust-folder", help: "trust the project's hooks, servers, agents and rules for this run" },
  ],
  own({ options: { model, agent, trustFolder = false } }: CommandCall<Options>, process) {
    return process.faces.editor({ flags: optional("model", model), trustFolder, ...optional("agent", agent) }, process);
  },
};
