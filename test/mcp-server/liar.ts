// A server whose word is worth nothing: impossible tools, endless lists, absurd tasks. argv: list, pages, circle, task or other-task.
import { object, say, serveRaw, text } from "./raw.ts";

const mode = process.argv[2];
const tool = (name: string, more: object = {}) => ({ name, inputSchema: object, ...more });

const listed = [
  tool("good"),
  tool("good", { description: "the same again" }),
  tool("*"),
  tool("sampling"),
  tool(""),
  tool("🚀 launch pad"),
  tool("x".repeat(200)),
  tool(`${"x".repeat(199)}y`),
  tool("hidden", { description: `Adds.${"\u{E0041}".repeat(3)}\u200b` }),
  { name: "no_schema" },
  { name: "wrong_schema", inputSchema: { type: "array" } },
  { inputSchema: object },
  tool("bad_output", { outputSchema: { type: "object", properties: { a: { type: "nonsense" } } } }),
  tool("huge_schema", { inputSchema: { ...object, description: "y".repeat(200_000) } }),
  7,
];

let page = 0;
const lies = new Date(0).toISOString();
const task = (status: string) => ({
  taskId: mode === "other-task" && status !== "created" ? "not yours" : "t",
  status: status === "created" ? "working" : status,
  ttl: null,
  createdAt: lies,
  lastUpdatedAt: lies,
  pollInterval: 0,
});
let asked = 0;

serveRaw(
  {
    "tools/list": () => {
      if (mode === "pages") return { tools: [tool(`page_${page++}`)], nextCursor: `${page}` };
      if (mode === "circle") return { tools: [tool("round")], nextCursor: "again" };
      if (mode === "list") return { tools: listed };
      return { tools: [tool("work", { execution: { taskSupport: "required" } })] };
    },
    "tools/call": ({ id }) => {
      // Answers to questions that nobody asked, and one that is not an answer.
      say({ jsonrpc: "2.0", id: 99_999, result: {} });
      say({ jsonrpc: "2.0", id: null, result: {} });
      say("{ not json");
      if (mode === "list") return { content: "not a list" };
      return id === undefined ? undefined : { task: task("created") };
    },
    "tasks/get": () => {
      say({ jsonrpc: "2.0", method: "notifications/tasks/status", params: task("working") });
      return task(++asked < 4 || mode === "other-task" ? "working" : "completed");
    },
    "tasks/result": () => text(`asked ${asked} times`),
  },
  { tools: {}, tasks: { requests: { tools: { call: {} } } } },
);
