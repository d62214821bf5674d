// One MCP server as configuration describes it: checked field by field, so that a bad one names its field and fails alone.

import * as z from "zod";
import { MAX_TIMER_MS } from "../../base/abort.ts";
import { isLoopback } from "../../base/address.ts";
import { optional } from "../../base/optional.ts";
import { entryOf } from "../../base/own-entry.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import { expandAll, type Variables } from "./expand.ts";

export type StdioLine = { type: "stdio"; command: string; args: string[]; cwd?: string; env: Record<string, string> };
export type RemoteLine = { type: "http" | "sse"; url: string; headers: Record<string, string> };

export type ServerConfig = {
  name: string;
  line: StdioLine | RemoteLine;
  /** Tools it may offer; `*` stands for all of them. */
  tools: string[];
  /** The limit of a call in milliseconds; absent = the setting. */
  timeoutMs?: number;
  enabled: boolean;
  /** Started at its first call, once its tools are known. */
  lazy: boolean;
  /** It may ask for model calls, each with leave. */
  sampling: boolean;
};

const TYPES: Record<string, "stdio" | "http" | "sse"> = {
  stdio: "stdio",
  local: "stdio",
  http: "http",
  "streamable-http": "http",
  sse: "sse",
};

const texts = z.record(z.string(), z.string());
/** Fields of other products pass. */
const entry = z.looseObject({
  type: z.string().optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).default([]),
  cwd: z.string().min(1).optional(),
  env: texts.default({}),
  url: z.string().optional(),
  headers: texts.default({}),
  tools: z.array(z.string()).default(["*"]),
  timeout: z.number().positive().max(MAX_TIMER_MS).optional(),
  enabled: z.boolean().default(true),
  lazy: z.boolean().default(false),
  sampling: z.boolean().default(false),
});
type Entry = z.infer<typeof entry>;

/** A permission rule is `mcp(server:tool)`: what ends or splits it cannot be in a name. */
const BAD_NAME = /[:()\p{Cc}]|^\s|\s$|^\*?$/u;

/** The error is one sentence that names the field. */
export function parseServer(name: string, value: unknown, variables: Variables): Result<ServerConfig, string> {
  if (BAD_NAME.test(name) || name.length > 200)
    return fail("its name must be 1 to 200 characters without `:`, `(`, `)` or control characters");
  const expanded = expandAll(value, variables);
  if (!expanded.ok)
    return fail(`\`${expanded.error.field}\` needs the variable ${expanded.error.variable}, which is not set`);
  const parsed = entry.safeParse(expanded.value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return fail(`\`${issue?.path.join(".") || name}\`: ${issue?.message ?? "is not right"}`);
  }
  const line = lineOf(parsed.data);
  if (!line.ok) return line;
  const { tools, timeout, enabled, lazy, sampling } = parsed.data;
  return ok({ name, line: line.value, tools, ...optional("timeoutMs", timeout), enabled, lazy, sampling });
}

function lineOf(entry: Entry): Result<StdioLine | RemoteLine, string> {
  const { command, args, cwd, env, url, headers } = entry;
  const type = entry.type === undefined ? (command === undefined ? "http" : "stdio") : entryOf(TYPES, entry.type);
  if (type === undefined)
    return fail(`\`type\` must be stdio (local), http or sse, found "${clip(entry.type ?? "", 40)}"`);
  if (type === "stdio") {
    if (command === undefined) return fail("`command` is missing");
    return ok({ type, command, args, ...optional("cwd", cwd), env });
  }
  if (url === undefined) return fail(entry.type === undefined ? "`command` or `url` is missing" : "`url` is missing");
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return fail("`url` is not an http or https address");
  const bad = Object.entries(headers).find(
    ([key, text]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(key) || /[\r\n\0]/.test(text),
  );
  return bad ? fail(`\`headers.${clip(bad[0], 60)}\` is not a header`) : ok({ type, url, headers });
}

/** What text sent there leaves this machine for; undefined for a child process and for addresses of this machine. */
export function remoteOrigin({ line }: Pick<ServerConfig, "line">): string | undefined {
  if (line.type === "stdio") return undefined;
  return isLoopback(line.url) ? undefined : new URL(line.url).origin;
}
