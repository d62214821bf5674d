// /agent, /tasks, /background, /research, /fleet, /autopilot, /skills, /hooks: agents, and what runs beside the conversation.
import { commandUsage, type Failure } from "../base/failure.ts";
import { fail, type Result } from "../base/result.ts";
import { clip } from "../base/text.ts";
import { asText, type CommandOutcome, describe, output, type SlashCommand } from "./contract.ts";

export const agent: SlashCommand = {
  name: "agent",
  summary: "list agents, or switch to one",
  slash: {
    usage: "[NAME|none]",
    run: async (name, client) =>
      name === "" ? output(client.agents.list()) : asText(await client.agents.select(name)),
  },
};

export const tasks: SlashCommand = {
  name: "tasks",
  summary: "list running and finished agents, MCP tasks and commands",
  slash: {
    usage: "[show|stop|promote|message|remove ID]",
    async run(text, client) {
      const [verb = "", id = "", ...rest] = text.split(/\s+/);
      if (verb === "" || verb === "list") return output(client.tasks.list());
      if (verb === "promote") return goesOn(await client.tasks.promoteToBackground(id || undefined));
      if (id !== "" && verb === "show") return asText(client.tasks.getProgress(id));
      if (id !== "" && verb === "stop")
        return describe(await client.tasks.cancel(id), ({ id: agentId, status, stopped }) =>
          stopped.length > 0 ? `Stopped: ${stopped.join(", ")}.` : `${agentId} is already ${status}.`,
        );
      if (id !== "" && verb === "remove")
        return describe(await client.tasks.remove(id), (agentId) => `Removed ${agentId} from the list.`);
      if (id === "" || verb !== "message") {
        const next = "Try /tasks, or /tasks show|stop|promote|message|remove ID.";
        return fail(commandUsage(`/tasks does not take "${text}".`, next));
      }
      if (rest.length === 0) return fail(commandUsage("The message is missing.", "Try /tasks message ID TEXT."));
      return describe(
        await client.tasks.sendMessage(id, rest.join(" ")),
        ({ id: agentId, delivery }) => `${agentId}: ${delivery}.`,
      );
    },
  },
};

/** What the main agent no longer waits for. */
export const goesOn = (ids: Result<string[], Failure>): CommandOutcome =>
  describe(ids, (all) => all.map((id) => `${id} continues in the background.`).join("\n"));

export const background: SlashCommand = {
  name: "background",
  summary: "move the running agent or command to the background",
  slash: { usage: "", run: async (_text, client) => goesOn(await client.tasks.promoteToBackground()) },
};

export const research: SlashCommand = {
  name: "research",
  summary: "research a topic with many agents and write a report",
  slash: { usage: "TOPIC", run: async (topic, client) => asText(await client.agents.startResearch(topic)) },
};

export const fleet: SlashCommand = {
  name: "fleet",
  summary: "work on all todos with many agents at once",
  slash: {
    usage: "[PROMPT]",
    async run(prompt, client) {
      const started = await client.agents.startFleet(prompt === "" ? {} : { prompt });
      if (!started.ok) return started;
      if (started.value.started) return output("");
      const what = "A fleet is already running in this session.";
      return fail({ code: started.value.reason ?? "already_running", what, next: "/tasks shows it.", exit: 1 });
    },
  },
};

export const autopilot: SlashCommand = {
  name: "autopilot",
  summary: "keep working without asking until the task is done",
  slash: {
    usage: "[on|off]",
    async run(text, client) {
      if (text !== "" && text !== "on" && text !== "off")
        return fail(commandUsage(`/autopilot takes on or off, not "${text}".`, "Try /autopilot on."));
      const on = text === "" ? client.mode.get() !== "autopilot" : text === "on";
      await client.mode.set(on ? "autopilot" : "interactive");
      return output(on ? "Autopilot is on: the agent keeps working until the task is done." : "Autopilot is off.");
    },
  },
};

export const skills: SlashCommand = {
  name: "skills",
  summary: "list skills",
  slash: {
    usage: "",
    async run(_text, client) {
      const rows = client.extensions
        .skills()
        .map(
          (s) => `${s.name}${s.enabled ? "" : " (off)"}: ${clip(s.description.replace(/\s+/g, " "), 100)}\n  ${s.path}`,
        );
      if (rows.length > 0) return output([...rows, "Turn one off with the setting disabledSkills."].join("\n"));
      return output(
        "No skills yet. A skill is a folder with a SKILL.md, in the project's .everlong/skills or in EVERLONG_HOME/skills.",
      );
    },
  },
};

export const hooks: SlashCommand = {
  name: "hooks",
  summary: "list hooks and their last result",
  slash: { usage: "", run: async (_text, client) => output(await client.extensions.hooks()) },
};
