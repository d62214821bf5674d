// The real clients: how each is told to work without asking, how it goes on with its last session, and its shell tool.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { customCall } from "../../model-server/custom-call.ts";
import { calls, type Reply } from "../../model-server/reply.ts";

export type Client = {
  name: string;
  /** Which of its ways to speak, where it has several. */
  variant?: string;
  env: Record<string, string>;
  first(prompt: string): string[];
  /** Goes on with the last session of this project. */
  resume(prompt: string, at: { folder: string; home: string }): string[];
  /** It goes on in its full-screen interface only: the prompt is typed where this is shown, and ctrl+c twice leaves. */
  typesAt?: string;
  /** Must be in every request of the conversation, however much is left out. */
  keeps?: string;
  /** The model's wish to run a command. */
  shell(command: string): Reply;
  /** What the client itself writes into the user's home, and into the project: it does the same without us. */
  writes: RegExp;
  writesInProject?: RegExp;
  /** Before its first run. */
  prepare?(home: string, upstream: string): void;
  /** The requests that may be sent beside the conversation have other tools or none. */
  tool: string;
  /** What it is sure to ask beside a conversation of one prompt, and beside a long one. */
  side?: RegExp;
  longSide?: RegExp;
};

const OPENAI_API_KEY = "sk-client-0123456789abcdef";
const codexFlags = ["--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check"];
const codexOld = [...codexFlags, "-m", "gpt-5.1-codex"];
const shellTool = (name: string) => (command: string) => calls([{ name, args: { command, description: "look" } }]);

export const clients: readonly Client[] = [
  {
    // The model that it has by itself: its tools stand in the input, and it calls them by a program.
    name: "codex",
    variant: "tools in the input",
    env: { OPENAI_API_KEY },
    first: (prompt) => ["exec", ...codexFlags, prompt],
    resume: (prompt) => ["exec", ...codexFlags, "resume", "--last", prompt],
    tool: "exec",
    keeps: '"type":"additional_tools"',
    shell: (cmd) => customCall("exec", `text(await tools.exec_command(${JSON.stringify({ cmd })}))`),
    writes: /^\.codex\//,
  },
  {
    name: "codex",
    env: { OPENAI_API_KEY },
    first: (prompt) => ["exec", ...codexOld, prompt],
    resume: (prompt) => ["exec", ...codexOld, "resume", "--last", prompt],
    tool: "exec_command",
    shell: (cmd) => calls([{ name: "exec_command", args: { cmd } }]),
    writes: /^\.codex\//,
  },
  {
    name: "claude",
    env: { ANTHROPIC_API_KEY: "sk-ant-client-0123456789abcdef" },
    first: (prompt) => ["-p", prompt, "--allowedTools", "Bash"],
    resume: (prompt) => ["--continue", "-p", prompt, "--allowedTools", "Bash"],
    tool: "Bash",
    shell: shellTool("Bash"),
    writes: /^\.(?:claude|cache|local)\/|^\.claude\.json/,
  },
  {
    name: "gemini",
    env: { GEMINI_API_KEY: "AIzaclient0123456789abcdef" },
    first: (prompt) => ["--skip-trust", "-y", "-m", "gemini-2.5-pro", "-p", prompt],
    resume: (prompt) => ["--skip-trust", "-y", "-m", "gemini-2.5-pro", "--resume", "latest", "-p", prompt],
    tool: "run_shell_command",
    shell: shellTool("run_shell_command"),
    writes: /^\.(?:gemini|cache)\//,
    longSide: /unproductive_state/,
  },
  {
    name: "opencode",
    env: { OPENAI_API_KEY },
    first: (prompt) => ["run", "-m", "openai/gpt-5", prompt],
    resume: (prompt) => ["run", "--continue", "-m", "openai/gpt-5", prompt],
    tool: "bash",
    shell: shellTool("bash"),
    writes: /^\.(?:config|local|cache)\//,
    side: /You are a title generator/,
    longSide: /You are a title generator/,
  },
  {
    name: "qwen",
    env: { OPENAI_API_KEY },
    first: (prompt) => ["-m", "scripted", "-y", "-p", prompt],
    resume: (prompt) => ["-m", "scripted", "-y", "--continue", "-p", prompt],
    tool: "tool_search",
    // Its terminal loses the output of a command that ends at once, also without us: "Output: (empty)" in one run of eight.
    shell: (command) =>
      calls([{ name: "run_shell_command", args: { command: `${command}; sleep 1`, is_background: false } }]),
    writes: /^\.qwen\//,
  },
  {
    name: "pi",
    env: { OPENAI_API_KEY },
    first: (prompt) => ["--provider", "openai", "--model", "gpt-5", "-p", prompt],
    resume: (prompt) => ["--provider", "openai", "--model", "gpt-5", "-c", "-p", prompt],
    tool: "bash",
    shell: (command) => calls([{ name: "bash", args: { command } }]),
    writes: /^\.pi\//,
  },
  {
    name: "copilot",
    env: { OPENAI_API_KEY, COPILOT_MODEL: "gpt-5" },
    first: (prompt) => ["--allow-all-tools", "-p", prompt],
    resume: (prompt) => ["--allow-all-tools", "--continue", "-p", prompt],
    tool: "bash",
    shell: shellTool("bash"),
    writes: /^\.(?:copilot|cache)\//,
  },
  {
    name: "cline",
    env: {},
    first: (prompt) => [prompt],
    resume: (_, { home }) => ["--id", clineSession(home)],
    typesAt: "Ask anything",
    tool: "run_commands",
    shell: (command) => calls([{ name: "run_commands", args: { commands: [command] } }]),
    writes: /^\.cline\//,
    writesInProject: /^\.git\/index$/,
    prepare(home, upstream) {
      const path = join(home, ".cline", "data", "settings", "providers.json");
      const settings = {
        provider: "openai-compatible",
        apiKey: OPENAI_API_KEY,
        model: "gpt-5",
        baseUrl: `${upstream}/v1`,
      };
      const entry = { settings, updatedAt: new Date().toISOString(), tokenSource: "manual" };
      const whole = {
        version: 1,
        lastUsedProvider: "openai-compatible",
        modes: {},
        providers: { "openai-compatible": entry },
      };
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, JSON.stringify(whole));
    },
  },
  {
    name: "letta",
    env: { OPENAI_API_KEY },
    first: (prompt) => ["-m", "lmstudio/gpt-5", "--yolo", "-p", prompt],
    resume: (prompt, { folder }) => ["--yolo", "--conversation", lettaConversation(folder), "-p", prompt],
    tool: "Bash",
    shell: shellTool("Bash"),
    writes: /^\.letta\//,
    writesInProject: /^\.letta\//,
  },
];

/** letta notes the last conversation of a project in the project. */
function lettaConversation(folder: string): string {
  const text = readFileSync(join(folder, ".letta", "settings.local.json"), "utf8");
  return /"conversationId":\s*"([^"]+)"/.exec(text)?.[1] ?? "none";
}

/** cline keeps a folder for each session, named by when it began. */
function clineSession(home: string): string {
  return (
    readdirSync(join(home, ".cline", "data", "sessions"))
      .sort()
      .at(-1) ?? "none"
  );
}

/** The folder of the client's command; undefined when it is not there. */
export function installed({ name }: Client): string | undefined {
  const clientsDir = process.env["EVERLONG_CLIENTS_DIR"];
  const folder = clientsDir === undefined ? undefined : join(clientsDir, name, "node_modules", ".bin");
  return folder && existsSync(join(folder, name)) ? folder : undefined;
}
