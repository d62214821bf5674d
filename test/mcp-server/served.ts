// `everlong mcp` in small: our own server on stdio with operations that tell what they were asked. argv: the folder.
import { serveStdio } from "../../src/mcp/serve/stdio.ts";
import { recallServed, searchSessionsServed } from "../../src/mcp/serve/tool.ts";

const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

await serveStdio(
  {
    version: "1",
    log,
    ...(process.argv[2] ? { folder: process.argv[2] } : {}),
    tools: [
      recallServed(async ({ query, limit }, { folder, client }) => {
        if (query === "break") throw new Error("the index is on fire");
        if (query === "refuse") return { ok: false, error: "Recall is off." };
        if (query === "much") return { ok: true, value: "much ".repeat(10_000) };
        return { ok: true, value: JSON.stringify({ query, limit, folder, client }) };
      }),
      searchSessionsServed(async ({ query }) => ({ ok: true, value: `sessions about ${query}` })),
    ],
  },
  { stdin: process.stdin, stdout: process.stdout, signal: new AbortController().signal },
);
log("over");
