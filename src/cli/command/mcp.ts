// `everlong mcp`: Everlong as an MCP server on stdin and stdout.
import type { Command } from "commander";
import { EXIT, printFailure } from "../exit.ts";
import type { Done } from "./print.ts";

export function addMcp(program: Command, done: Done): void {
  program
    .command("mcp")
    .description("serve memory to other programs: an MCP server on stdin and stdout")
    .option("--read-only", "without the tools that store or change memories")
    .action(async (options: { readOnly?: boolean }) => {
      const stop = new AbortController();
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());
      const { serveMcp } = await import("../../runtime/mcp/serve.ts");
      const served = await serveMcp({
        readOnly: options.readOnly ?? false,
        stdin: process.stdin,
        stdout: process.stdout,
        signal: stop.signal,
        log: (line) => void process.stderr.write(`${line}\n`),
      });
      done(served.ok ? EXIT.done : printFailure(served.error));
    });
}
