// For tests only: runs the offline model through whole turns against files, recall results and tools kept in memory.
import type { ContextItem } from "../../schema/context-item.ts";
import type { Message } from "../../schema/message.ts";
import type { ModelAnswer, ModelRequest, ModelTarget, StreamPart } from "../contract.ts";
import { callOffline } from "./call-offline.ts";

export type Files = Record<string, string>;
type ToolAnswer = { content: string; isError?: boolean };
export type ToolRun = (args: Record<string, unknown>) => ToolAnswer | Promise<ToolAnswer>;
export type World = {
  files?: Files;
  recall?: string;
  /** More tools, or others under the same names. */
  tools?: Record<string, ToolRun>;
  history?: readonly ContextItem<Message>[];
  request?: Partial<ModelRequest>;
};
export type Turn = {
  text: string;
  calls: { name: string; args: Record<string, unknown> }[];
  steps: number;
  items: ContextItem<Message>[];
  answer: ModelAnswer;
};

const TARGET: ModelTarget = {
  id: "offline",
  provider: "offline",
  name: "offline",
  wire: "openai-chat",
  headers: {},
  promptLimit: 128_000,
  entry: {
    id: "offline",
    provider: "offline",
    multiplier: 0,
    supports: { tools: true, parallel: true, images: false, documents: false, reasoning: false },
  },
};

let made = 0;
export function item(raw: Message, turn: number, more: Partial<ContextItem<Message>> = {}): ContextItem<Message> {
  return {
    id: `i${made++}`,
    role: raw.role,
    kind: "message",
    isPrompt: raw.role === "user",
    turn,
    toolCallIds: raw.role === "assistant" ? raw.toolRequests.map((call) => call.toolCallId) : [],
    toolResultFor: raw.role === "tool" ? [raw.toolCallId] : [],
    tokens: 0,
    raw,
    ...more,
  };
}
export const user = (content: string, turn: number) => item({ role: "user", content }, turn);
export const assistant = (content: string, turn: number, calls: [name: string, args: object][] = []) =>
  item(
    {
      role: "assistant",
      content,
      toolRequests: calls.map(([name, args], at) => ({ toolCallId: `c${turn}_${at}_${name}`, name, arguments: args })),
    },
    turn,
  );
export const result = (call: ContextItem<Message>, at: number, content: string, isError = false) => {
  const name = call.raw.role === "assistant" ? (call.raw.toolRequests[at]?.name ?? "") : "";
  return item({ role: "tool", toolCallId: call.toolCallIds[at] ?? "", toolName: name, content, isError }, call.turn);
};

export function requestOf(
  items: readonly ContextItem<Message>[],
  names: readonly string[],
  more: Partial<ModelRequest> = {},
): ModelRequest {
  const tools = names.map((name) => ({ name, description: "", parameters: {} }));
  return {
    system: "",
    items,
    tools,
    toolChoice: "auto",
    initiator: "user",
    interaction: "conversation-user",
    sessionId: "s1",
    ...more,
  };
}

export async function callOnce(
  request: ModelRequest,
  signal = new AbortController().signal,
  onPart: (part: StreamPart) => void = () => undefined,
) {
  return callOffline(TARGET, request, { signal, onPart, idleMs: 1_000 });
}

/** One prompt until the model asks for no more tools. */
export async function ask(prompt: string, world: World = {}): Promise<Turn> {
  const tools: Record<string, ToolRun> = { ...searchTools(world), ...world.tools };
  const turn = (world.history?.at(-1)?.turn ?? 0) + 1;
  const items = [...(world.history ?? []), user(prompt, turn)];
  const calls: Turn["calls"] = [];
  for (let steps = 0; ; steps++) {
    if (steps > 10) throw new Error("the offline model does not come to an end");
    const outcome = await callOnce(requestOf(items, Object.keys(tools), world.request));
    if (outcome.type !== "answer") throw new Error(`outcome ${outcome.type}`);
    const { answer } = outcome;
    items.push(item({ role: "assistant", content: answer.content, toolRequests: answer.toolRequests }, turn));
    const results = answer.toolRequests.map(async ({ toolCallId, name, arguments: given }) => {
      const args = given as Record<string, unknown>;
      calls.push({ name, args });
      const { content, isError = false } = (await tools[name]?.(args)) ?? { content: `No tool ${name}`, isError: true };
      return item({ role: "tool", toolCallId, toolName: name, content, isError }, turn);
    });
    items.push(...(await Promise.all(results)));
    const isOver =
      answer.toolRequests.length === 0 || answer.toolRequests.some((call) => call.name === "task_complete");
    if (isOver) return { text: answer.content, calls, steps, items, answer };
  }
}

function searchTools({ files = {}, recall = "No results." }: World): Record<string, ToolRun> {
  const paths = (glob: unknown) =>
    Object.keys(files)
      .sort()
      .filter((path) => glob === undefined || globPattern(String(glob)).test(path));
  return {
    grep: ({ pattern, glob, ignore_case, output_mode, head_limit }) => {
      const wanted = new RegExp(String(pattern), ignore_case === true ? "i" : "");
      const rows = paths(glob).flatMap((path) => {
        const hits = (files[path] ?? "")
          .split("\n")
          .flatMap((text, at) => (wanted.test(text) ? [`${path}:${at + 1}:${text}`] : []));
        return output_mode === "files" && hits.length > 0 ? [path] : hits;
      });
      return { content: rows.slice(0, Number(head_limit ?? 200)).join("\n") || "No matches." };
    },
    glob: ({ pattern }) => ({ content: paths(pattern).join("\n") || "No files match." }),
    view: ({ path, view_range }) => {
      if (path === ".") return { content: listing(Object.keys(files)) };
      const text = files[String(path)];
      if (text === undefined) return { content: `${path} does not exist.`, isError: true };
      const [from, to] = (view_range as [number, number] | undefined) ?? [1, Number.POSITIVE_INFINITY];
      return {
        content: text
          .split("\n")
          .map((line, at) => `${at + 1}\t${line}`)
          .slice(from - 1, to)
          .join("\n"),
      };
    },
    recall: () => ({ content: recall }),
  };
}

function listing(paths: readonly string[]): string {
  const entries = new Set(paths.map((path) => path.replace(/\/.*$/, "/")));
  return ["./", ...[...entries].sort()].join("\n");
}

function globPattern(glob: string): RegExp {
  let depth = 0;
  const body = glob.replace(/\*\*\/|\*\*|\*|\[!?[^\]]*\]|[{},]|[^\w/]/g, (part) => {
    if (part === "{") depth++;
    if (part === "}") depth--;
    if (part.startsWith("[")) return part.replace("[!", "[^");
    const known: Record<string, string> = {
      "**/": "(?:.*/)?",
      "**": ".*",
      "*": "[^/]*",
      "{": "(?:",
      "}": ")",
      ",": depth > 0 ? "|" : ",",
    };
    return known[part] ?? `\\${part}`;
  });
  return new RegExp(`${glob.includes("/") ? "^" : "(?:^|/)"}${body}$`);
}

/** A small repository with something to find of each kind. */
export const REPO: Files = {
  "README.md": `# Demo

A tiny server for demos. Where is parseConfig defined?

## Install

Run \`npm install demo\`, then \`npx demo start\`.

It needs Node 22.

## Licence
`,
  "docs/config.md": "The function parseConfig reads JSON.\n",
  "package-lock.json": '{ "parseConfig": "1.0.0" }\n',
  "src/config.ts": `// Reads the configuration file.
export type Config = { port: number };

/** Parses the text of a configuration file. */
export function parseConfig(text: string): Config {
  const raw = JSON.parse(text);
  return { port: raw.port ?? 8080 };
}
`,
  "src/parser.ts": "export class Parser {\n  parse(input: string) {\n    return input.split(',');\n  }\n}\n",
  "src/server.ts": `import { parseConfig } from "./config.ts";

const DEFAULT_PORT = 8080;

export function startServer(text: string) {
  const config = parseConfig(text);
  server.listen(config.port || DEFAULT_PORT);
}
`,
  "test/config.test.ts": 'it("reads the port", () => parseConfig("{}"));\n',
  "test/parser.test.ts":
    'import { Parser } from "../src/parser.ts";\n\ndescribe("Parser", () => {\n  it("splits", () => new Parser().parse("a"));\n});\n',
};

/** The quotes of an answer with their sources, read from its text. */
export function quotesOf(text: string): { source: string; quote: string }[] {
  return [...text.matchAll(/^([^\n`]+)\n(`{3,})\n([\s\S]*?)\n\2$/gm)].map(([, source = "", , quote = ""]) => ({
    source,
    quote,
  }));
}
