// Commands on the open session itself: its facts, its history, its name, its model; /clear and /exit, which a terminal runs.
import { commandUsage } from "../base/failure.ts";
import { fail } from "../base/result.ts";
import type { Client } from "../runtime/client.ts";
import { showCheckpoints } from "./checkpoints.ts";
import { asText, type CommandOutcome, output, type SlashCommand } from "./contract.ts";

export const model: SlashCommand = {
  name: "model",
  summary: "list models, or switch to one",
  slash: {
    usage: "[NAME]",
    run: async (name, client) => asText(await (name ? client.setModel(name) : client.models())),
  },
};

export const compact: SlashCommand = {
  name: "compact",
  summary: "summarise the conversation now to free up context",
  slash: {
    usage: "[FOCUS|cancel|undo]",
    async run(text, { history }) {
      if (text === "cancel") return asText(await history.cancel());
      return asText(await (text === "undo" ? history.undo() : history.compact(text)));
    },
  },
};

export const context: SlashCommand = {
  name: "context",
  summary: "show what fills the context window",
  slash: { usage: "", run: async (_text, client) => output(await client.contextReport()) },
};

export const usage: SlashCommand = {
  name: "usage",
  summary: "show tokens, cost and time",
  slash: {
    usage: "",
    async run(_text, client) {
      const view = client.view();
      const rows = Object.entries(view.usage).map(([name, u]) => {
        const cost = u.cost === undefined ? "" : `, $${u.cost.toFixed(4)}`;
        const about = u.estimated ? " (estimated)" : "";
        return `${name}: ${u.inputTokens} in, ${u.outputTokens} out, ${u.cacheReadTokens} cache read, ${u.cacheWriteTokens} cache write${cost}${about}`;
      });
      if (rows.length === 0) return output("No model was called in this session yet.");
      return output([...rows, `Model time: ${(view.apiDurationMs / 1000).toFixed(1)} s`].join("\n"));
    },
  },
};

export const todos: SlashCommand = {
  name: "todos",
  summary: "show the todo list",
  slash: {
    usage: "",
    async run(_text, client) {
      const { todos: all, deps } = client.view();
      if (all.length === 0) return output("No todos.");
      const rows = all.map(({ id, status, title }) => {
        const waits = deps.filter((d) => d.todo_id === id).map((d) => d.depends_on);
        return `[${status}] ${id}: ${title}${waits.length > 0 ? ` (after ${waits.join(", ")})` : ""}`;
      });
      return output([`${all.filter((t) => t.status === "done").length} of ${all.length} done`, ...rows].join("\n"));
    },
  },
};

export const session: SlashCommand = {
  name: "session",
  summary: "show details of this session",
  slash: {
    usage: "[checkpoints [N]|files|refs|plan]",
    async run(text, client) {
      if (text === "") return output(sessionText(client));
      if (text === "files" || text === "refs" || text === "plan") return asText(await client.facts(text));
      const numbered = /^checkpoints(?:\s+(\S+))?$/.exec(text);
      if (numbered) {
        const all = await client.checkpoints();
        return all.ok ? showCheckpoints(all.value, numbered[1] ?? "") : all;
      }
      const what = `/session knows checkpoints, files, refs and plan, not "${text}".`;
      return fail(commandUsage(what, "Try /session."));
    },
  },
};

function sessionText(client: Client): string {
  const view = client.view();
  return [
    `Session: ${view.sessionId}`,
    `Name: ${view.title || "(none yet)"}`,
    `Model: ${view.model} (${view.modelReason})`,
    `Mode: ${view.mode}${view.allowAll ? ", allow-all" : ""}`,
    `Folder: ${view.context.cwd}${view.trusted ? "" : " (not trusted)"}`,
    ...(view.context.branch ? [`Branch: ${view.context.branch}`] : []),
    `Prompts: ${view.promptCount}`,
    `Files changed: ${view.changedFiles.length}`,
    `State: ${client.dir}`,
  ].join("\n");
}

export const rename: SlashCommand = {
  name: "rename",
  summary: "rename this session",
  slash: { usage: "NAME", run: async (name, client) => asText(await client.rename(name)) },
};

export const undo: SlashCommand = {
  name: "undo",
  summary: "undo the last message",
  slash: { usage: "", run: async (_text, client) => asText(await client.history.rewind(undefined)) },
};

export const rewind: SlashCommand = {
  name: "rewind",
  summary: "go back to an earlier message",
  slash: {
    usage: "[N|tN|EVENT]",
    run: async (to, client) => asText(await client.history.rewind(to || undefined, to === "")),
  },
};

export const fork: SlashCommand = {
  name: "fork",
  summary: "copy this session into a new one",
  slash: { usage: "[NAME]", run: async (name, client) => asText(await client.fork(name || undefined)) },
};

export const exportSession: SlashCommand = {
  name: "export",
  summary: "export this session to a file",
  slash: {
    usage: "md|html|json|jsonl [PATH]",
    async run(text, client) {
      const [format = "md", ...path] = text.split(/\s+/).filter(Boolean);
      return asText(await client.exportTo(format, path.join(" ") || undefined));
    },
  },
};

const atTerminal = async (): Promise<CommandOutcome> => output("");

export const clear: SlashCommand = {
  name: "clear",
  summary: "start a new session",
  slash: { usage: "", interactiveOnly: true, run: atTerminal },
};

export const exit: SlashCommand = {
  name: "exit",
  summary: "quit",
  slash: { usage: "", interactiveOnly: true, run: atTerminal },
};
