// A server that says too much. argv: garbage, line, stderr, big, tools or changes.
import { object, say, serveRaw, text } from "./raw.ts";

const mode = process.argv[2];
const MB = 1024 * 1024;

/** As much as the reader takes, for ever. */
function pour(chunk: string): void {
  while (process.stdout.write(chunk));
  process.stdout.once("drain", () => pour(chunk));
}

if (mode === "garbage") pour("this is not a message\n".repeat(1000));
else if (mode === "line") pour("x".repeat(64 * 1024));
else {
  if (mode === "stderr") process.stderr.write(`${"complaint\n".repeat(400_000)}last words\n`);
  const names = mode === "tools" ? Array.from({ length: 2000 }, (_, n) => `tool_${n}`) : ["get"];
  const description = mode === "tools" ? "Does something with a thing. ".repeat(5) : "Gets much.";
  let lists = 0;
  serveRaw(
    {
      "tools/list": () => {
        lists++;
        return { tools: names.map((name) => ({ name, description, inputSchema: object })) };
      },
      "tools/call": () => {
        if (mode === "changes") {
          const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
          for (let n = 0; n < 5000; n++) say(changed);
        }
        return text(mode === "big" ? "0123456789abcde\n".repeat((50 * MB) / 16) : `enough, ${lists} lists`);
      },
    },
    { tools: { listChanged: true } },
  );
}
