// Commands on the open session itself: its facts, its history, its name, its model; /clear and /exit, which a terminal runs.
import { commandUsage, type Failure } from "../base/failure.ts";
import { fail, type Result } from "../base/result.ts";
import type { Client } from "../runtime/client.ts";
import { costText } from "../schema/model.ts";
import { showCheckpoints } from "./checkpoints.ts";
import { asText, type CommandOutcome, describe, output, type SlashCommand } from "./contract.ts";

const ADD_PROVIDER =
  "For a real model set OPENAI_API_KEY or ANTHROPIC_API_KEY, or start everlong with --base-url URL --model NAME.";

export const model: SlashCommand = {
  name: "model",
  summary: "list models, or switch to one",
  slash: {
    usage: "[NAME]",
    async run(name, client) {
      if (name) return asText(await client.model.set(name));
      const rows = client.model.list();
      return output(
        [
          ...rows.map(
            (m) =>
              `${m.isInUse ? "*" : " "} ${m.id}  prompts up to ${m.promptLimit} tokens, multiplier ${m.multiplier}`,
          ),
          ...(rows.every((m) => m.id === "offline") ? [ADD_PROVIDER] : []),
        ].join("\n"),
        rows,
      );
    },
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
  slash: { usage: "", run: async (_text, client) => output(await client.session.contextReport()) },
};

export const usage: SlashCommand = {
  name: "usage",
  summary: "show tokens, cost and time",
  slash: {
    usage: "",
    async run(_text, client) {
      const view = client.view();
      const rows = Object.entries(view.usage).map(([name, u]) => {
        const tokens = `${u.inputTokens} in, ${u.outputTokens} out, ${u.cacheReadTokens} cache read, ${u.cacheWriteTokens} cache write`;
        return `${name}: ${[tokens, costText(u)].filter(Boolean).join(", ")}${u.estimated ? " (estimated)" : ""}`;
      });
      if (rows.length === 0) return output("No model calls in this session yet.");
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
      if (text === "plan") return output(client.session.plan() ?? "No plan yet.");
      if (text === "files" || text === "refs") {
        const mentions = await client.session[text]();
        return output(mentions.map(({ name, kind }) => `${name} (${kind})`).join("\n") || `No ${text} yet.`, mentions);
      }
      const numbered = /^checkpoints(?:\s+(\S+))?$/.exec(text);
      if (numbered) {
        const all = await client.checkpoints();
        return all.ok ? showCheckpoints(all.value, numbered[1] ?? "") : all;
      }
      const what = `/session takes checkpoints, files, refs or plan, not "${text}".`;
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
  slash: {
    usage: "NAME",
    async run(title, client) {
      if (title === "") return fail(commandUsage("The name is missing.", "For example: /rename parser work"));
      return describe(await client.session.rename(title), () => `This session is now called "${title}".`);
    },
  },
};

export const fork: SlashCommand = {
  name: "fork",
  summary: "copy this session into a new one",
  slash: {
    usage: "[NAME]",
    run: async (name, client) => forkOutcome(await client.session.fork(name === "" ? {} : { name })),
  },
};

/** The same words for `/fork` and `everlong sessions fork`, and so on. */
export const forkOutcome = (copy: Result<string, Failure>): CommandOutcome =>
  describe(copy, (id) => `Forked into ${id}: everlong --resume ${id}`);

export const exportOutcome = (written: Result<{ text: string } | { path: string }, Failure>): CommandOutcome =>
  describe(written, (file) => ("text" in file ? file.text : `Written to ${file.path}`));

const atTerminal = async (): Promise<CommandOutcome> => output("");

export const clear: SlashCommand = {
  name: "clear",
  summary: "start a new session",
  slash: { usage: "", ofTerminal: "new session", run: atTerminal },
};

export const exit: SlashCommand = {
  name: "exit",
  summary: "quit",
  slash: { usage: "", ofTerminal: "exit", run: atTerminal },
};
