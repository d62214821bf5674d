// A well-behaved server with one tool for each thing that a result can be, and some that end badly. Options: JSON in argv.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";

export type PlainOptions = {
  /** Before the protocol begins. */
  delayMs?: number;
  /** It starts only when this file is there. */
  startsWhen?: string;
  /** Gets a line for every start, call and pid. */
  journal?: string;
  instructions?: string;
  /** Of the tool `echo`. */
  description?: string;
  /** Written to stderr at the start. */
  says?: string;
  /** Starts a grandchild that ignores SIGTERM and has left the process group. */
  grandchild?: boolean;
  /** More tools, by name. */
  names?: string[];
};

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const words = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

export function plainServer(options: PlainOptions = {}): Server {
  const journal = (line: string): void => {
    if (options.journal) appendFileSync(options.journal, `${line}\n`);
  };
  let description = options.description ?? "Says it again.";
  const server = new Server(
    { name: "plain", version: "1" },
    {
      capabilities: { tools: { listChanged: true } },
      ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
    },
  );
  const tool = (name: string, more: Partial<Tool> = {}): Tool => ({ name, inputSchema: { type: "object" }, ...more });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      tool("echo", {
        description,
        annotations: { readOnlyHint: true },
        inputSchema: {
          type: "object",
          properties: { text: { type: "string" } },
          required: ["text"],
          additionalProperties: false,
        },
      }),
      ...[
        "environment",
        "roots",
        "slow",
        "image",
        "structured",
        "refuse",
        "resource",
        "change",
        "die",
        "ask",
        "sample",
      ].map((name) => tool(name)),
      tool("die_once", { annotations: { readOnlyHint: true } }),
      ...(options.names ?? []).map((name) => tool(name)),
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
    journal(`call ${params.name}`);
    extra.signal.addEventListener("abort", () => journal(`cancelled ${params.name}`));
    const args = params.arguments ?? {};
    switch (params.name) {
      case "echo":
        return words(String(args["text"]));
      case "environment":
        return words(JSON.stringify(process.env));
      case "roots":
        return words(JSON.stringify((await server.listRoots()).roots));
      case "slow": {
        const progressToken = extra._meta?.progressToken;
        for (let step = 1; step <= Number(args["steps"]); step++) {
          await wait(Number(args["stepMs"]));
          if (progressToken !== undefined)
            await extra.sendNotification({
              method: "notifications/progress",
              params: { progressToken, progress: step, total: Number(args["steps"]), message: `step ${step}` },
            });
        }
        return words("slow and done");
      }
      case "image":
        return { content: [{ type: "image", data: PNG, mimeType: "image/png" }] };
      case "structured":
        return { content: [], structuredContent: { answer: 42 } };
      case "refuse":
        return { isError: true, ...words("no, because it is Monday") };
      case "resource":
        return {
          content: [
            { type: "resource", resource: { uri: "file:///a.txt", text: "inside a" } },
            { type: "resource", resource: { uri: "file:///b.pdf", blob: "AAEC", mimeType: "application/pdf" } },
            { type: "resource_link", uri: "file:///c", name: "see c" },
          ],
        };
      case "change":
        description = String(args["to"]);
        await server.sendToolListChanged();
        return words("changed");
      case "die":
        process.stderr.write("dying now\n");
        process.exit(3);
        break;
      case "die_once":
        if (!process.env["REBORN"]) process.exit(3);
        return words("alive");
      case "ask": {
        const answer = await server.elicitInput({
          mode: "form",
          message: "Your name?",
          requestedSchema: { type: "object", properties: { name: { type: "string" } } },
        });
        return words(JSON.stringify(answer));
      }
      case "sample": {
        const answer = await server.createMessage({
          messages: [{ role: "user", content: { type: "text", text: "hi" } }],
          maxTokens: 10,
        });
        return words(JSON.stringify(answer.content));
      }
    }
    return words(`called ${params.name}`);
  });
  return server;
}

if (import.meta.main) {
  const options = JSON.parse(process.argv[2] ?? "{}") as PlainOptions;
  if (options.journal) appendFileSync(options.journal, `pid ${process.pid}\n`);
  if (options.grandchild) {
    const child = spawn("/bin/sh", ["-c", "trap '' TERM; while :; do sleep 1; done"], {
      detached: true,
      stdio: "ignore",
    });
    if (options.journal) appendFileSync(options.journal, `pid ${child.pid}\n`);
  }
  if (options.says) process.stderr.write(`${options.says}\n`);
  await wait(options.delayMs ?? 0);
  while (options.startsWhen && !existsSync(options.startsWhen)) await wait(20);
  await plainServer(options).connect(new StdioServerTransport());
}
