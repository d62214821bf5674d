// Clients as the gateway sees them: each keeps its own history, sends all of it with its real headers, and takes the
// answers in as the real one does. Bodies are written in the clients' own order of fields.
import { randomUUID } from "node:crypto";

export type Json = Record<string, unknown>;
export type Call = { id: string; name: string };
export type Answer = {
  status: number;
  headers: Headers;
  text: string;
  /** Items of the client's history that the answer is. */
  items: Json[];
  calls: Call[];
};

export type Dialect = {
  path: string;
  headers: Record<string, string>;
  user(text: string): Json;
  assistant(text: string): Json;
  results(outputs: (Call & { output: string })[]): Json[];
  body(history: readonly Json[]): Json;
  /** Of a whole answer or of a stream, as `body` asks for. */
  taken(answer: string): Pick<Answer, "items" | "calls">;
};

export class ScriptedClient {
  readonly dialect: Dialect;
  url: string;
  history: Json[] = [];
  headers: Record<string, string>;

  constructor(gateway: { url: string }, dialect: Dialect, headers: Record<string, string> = {}) {
    this.url = gateway.url;
    this.dialect = dialect;
    this.headers = { "content-type": "application/json", ...dialect.headers, ...headers };
  }

  /** A prompt, its request, its answer. */
  ask(text: string): Promise<Answer> {
    this.history.push(this.dialect.user(text));
    return this.send();
  }

  /** The results of an answer's calls, and the next request. */
  answer({ calls }: Answer, output: (call: Call, index: number) => string): Promise<Answer> {
    this.history.push(...this.dialect.results(calls.map((call, i) => ({ ...call, output: output(call, i) }))));
    return this.send();
  }

  /** The whole history as it is now; an answer of 200 is taken into it. */
  async send(over: Json = {}): Promise<Answer> {
    const answer = await this.post(JSON.stringify({ ...this.dialect.body(this.history), ...over }));
    this.history.push(...answer.items);
    return answer;
  }

  async post(body: string, headers: Record<string, string> = {}): Promise<Answer> {
    const url = this.url + this.dialect.path;
    const response = await fetch(url, { method: "POST", headers: { ...this.headers, ...headers }, body });
    const text = await response.text();
    const taken = response.status === 200 ? this.dialect.taken(text) : { items: [], calls: [] };
    return { status: response.status, headers: response.headers, text, ...taken };
  }
}

export const KEY = "Bearer sk-scripted-client-0123456789abcdef";

const schema = (name: string): Json => ({ type: "object", properties: { [name]: { type: "string" } } });

const dataOf = (stream: string): Json[] =>
  stream
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)) as Json);

export const CODEX_INSTRUCTIONS = "You are a coding agent running in the Codex CLI, a terminal-based coding assistant.";

export function codex(options: { session?: string; model?: string } = {}): Dialect {
  const { session = randomUUID(), model = "gpt-scripted" } = options;
  const text = (role: string, content: string): Json => ({
    type: "message",
    role,
    content: [{ type: "input_text", text: content }],
  });
  return {
    path: "/v1/responses",
    headers: {
      authorization: KEY,
      "user-agent": "codex_exec/0.166.0 (Ubuntu 24.4.0; x86_64) xterm-256color",
      originator: "codex_exec",
      accept: "text/event-stream",
      "session-id": session,
      "thread-id": session,
    },
    user: (content) => text("user", content),
    assistant: (content) => ({
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: content }],
    }),
    results: (outputs) => outputs.map(({ id, output }) => ({ type: "function_call_output", call_id: id, output })),
    body: (history) => ({
      model,
      instructions: CODEX_INSTRUCTIONS,
      input: [
        text("developer", "<permissions instructions>\nFilesystem sandboxing: danger-full-access.\n</permissions>"),
        text("user", "<environment_context>\n  <cwd>/work</cwd>\n  <shell>bash</shell>\n</environment_context>"),
        ...history,
      ],
      tools: ["exec_command", "update_plan"].map((name) => ({
        type: "function",
        name,
        strict: false,
        parameters: schema("cmd"),
      })),
      tool_choice: "auto",
      parallel_tool_calls: true,
      reasoning: { effort: "medium" },
      store: false,
      stream: true,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: session,
    }),
    taken(stream) {
      const end = dataOf(stream).find((event) => event["type"] === "response.completed");
      const items = ((end?.["response"] as Json | undefined)?.["output"] ?? []) as Json[];
      const calls = items.filter((item) => item["type"] === "function_call");
      // It sends reasoning back without id, everything else without status.
      const kept = items.map(({ id: _id, status: _status, ...item }) => item);
      return { items: kept, calls: calls.map((call) => ({ id: String(call["call_id"]), name: String(call["name"]) })) };
    },
  };
}

export const REMINDER =
  "<system-reminder>\nAs you answer, you can use the following context: today is a Friday.\n</system-reminder>";

/** System array and tools with a breakpoint each, and one on each of the two newest user messages: four in all. */
export function claude(options: { session?: string; model?: string } = {}): Dialect {
  const { session = randomUUID(), model = "claude-scripted" } = options;
  const cached = { cache_control: { type: "ephemeral", ttl: "1h" } };
  return {
    path: "/v1/messages?beta=true",
    headers: {
      "x-api-key": "sk-ant-scripted-0123456789",
      "user-agent": "claude-cli/2.1.325 (external, cli)",
      "x-app": "cli",
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "interleaved-thinking-2025-05-14",
    },
    user: (text) => ({
      role: "user",
      content: [
        { type: "text", text: REMINDER },
        { type: "text", text },
      ],
    }),
    assistant: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
    results: (outputs) => [
      {
        role: "user",
        content: outputs.map(({ id, output }) => ({ tool_use_id: id, type: "tool_result", content: output })),
      },
    ],
    body(history) {
      const users = history.filter((message) => message["role"] === "user").slice(-2);
      const messages = history.map((message) => {
        if (!users.includes(message)) return message;
        const blocks = message["content"] as Json[];
        return { ...message, content: blocks.map((b, n) => (n === blocks.length - 1 ? { ...b, ...cached } : b)) };
      });
      return {
        model,
        messages,
        system: [
          { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.325.abc; cc_entrypoint=cli;" },
          { type: "text", text: "You are Claude Code, Anthropic's official CLI for Claude.", ...cached },
        ],
        tools: ["Bash", "Read"].map((name, n) => ({
          name,
          description: `${name} something`,
          input_schema: schema("command"),
          ...(n === 1 ? cached : {}),
        })),
        metadata: { user_id: JSON.stringify({ device_id: "d".repeat(64), account_uuid: "", session_id: session }) },
        max_tokens: 4000,
        thinking: { type: "enabled", budget_tokens: 2000 },
      };
    },
    taken(answer) {
      const { role, content } = JSON.parse(answer) as { role: string; content: Json[] };
      const calls = content.filter((block) => block["type"] === "tool_use");
      return {
        items: [{ role, content }],
        calls: calls.map((call) => ({ id: String(call["id"]), name: String(call["name"]) })),
      };
    },
  };
}

export function gemini(options: { model?: string; doubled?: boolean } = {}): Dialect {
  const { model = "gemini-3-scripted", doubled = false } = options;
  return {
    path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    headers: {
      "x-goog-api-key": "AIzaScripted0123456789",
      "user-agent": `GeminiCLI/0.61.0/${model} (linux; x64; terminal)`,
    },
    user: (text) => ({ role: "user", parts: [{ text }] }),
    assistant: (text) => ({ role: "model", parts: [{ text }] }),
    results: (outputs) => {
      const parts = outputs.map(({ id, name, output }) => ({ functionResponse: { id, name, response: { output } } }));
      return [{ role: "user", parts: doubled ? [...parts, ...parts] : parts }];
    },
    body: (history) => ({
      contents: history,
      systemInstruction: { parts: [{ text: "You are Gemini CLI, an interactive CLI agent." }], role: "user" },
      tools: [
        {
          functionDeclarations: ["run_shell_command", "read_file"].map((name) => ({
            name,
            description: name,
            parametersJsonSchema: schema("command"),
          })),
        },
      ],
      generationConfig: { temperature: 1, topP: 0.95, thinkingConfig: { includeThoughts: true } },
    }),
    taken(stream) {
      const parts = dataOf(stream)
        .flatMap((chunk) => (chunk["candidates"] as { content: { parts: Json[] } }[])[0]?.content.parts ?? [])
        .filter((part) => part["text"] !== "");
      const calls = parts.map((part) => part["functionCall"] as Json | undefined).filter((call) => call !== undefined);
      return {
        items: [{ role: "model", parts }],
        calls: calls.map(({ id, name }) => ({ id: String(id), name: String(name) })),
      };
    },
  };
}

/** Chat completions; `agent` and `headers` say whose. */
export function chat(options: { headers: Record<string, string>; model?: string; tools?: string[] }): Dialect {
  const { headers, model = "chat-scripted", tools = ["run_shell_command", "read_file"] } = options;
  return {
    path: "/v1/chat/completions",
    headers: { authorization: KEY, ...headers },
    user: (content) => ({ role: "user", content }),
    assistant: (content) => ({ role: "assistant", content }),
    results: (outputs) => outputs.map(({ id, output }) => ({ role: "tool", tool_call_id: id, content: output })),
    body: (history) => ({
      model,
      messages: [{ role: "system", content: "You are an interactive agent that helps with software." }, ...history],
      ...(tools.length > 0
        ? { tools: tools.map((name) => ({ type: "function", function: { name, parameters: schema("command") } })) }
        : {}),
    }),
    taken(answer) {
      const message = (JSON.parse(answer) as { choices: { message: Json }[] }).choices[0]?.message ?? {};
      const calls = (message["tool_calls"] ?? []) as { id: string; function: { name: string } }[];
      return { items: [message], calls: calls.map((call) => ({ id: call.id, name: call.function.name })) };
    },
  };
}

export const QWEN = { "user-agent": "QwenCode/0.24.4 (linux; x64)" };
export const COPILOT = { "user-agent": "copilot/1.0.102 (client/cli linux v24)", "x-initiator": "user" };
export const PI = { "user-agent": "pi/0.87.1" };
export const OPENCODE = { "user-agent": "opencode/1.18.33 ai-sdk/provider-utils/4.0" };
export const CLINE = { "user-agent": "ai-sdk/openai-compatible/2.0 Cline/3.0.65" };
