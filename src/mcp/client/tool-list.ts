// A server's tools, read page by page within limits; a tool that cannot be offered is left out, not the whole list.
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { type Tool, ToolSchema } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { fail, ok, type Result } from "../../base/result.ts";
import { clip, cutAt, stripInvisible } from "../../base/text.ts";
import type { ListedTool, McpAnswer, McpCallOptions, ToolList } from "../connection.ts";
import { ask } from "./ask.ts";

const MAX_TOOLS = 5000;
const MAX_PAGES = 200;
const MAX_DESCRIPTION = 10_000;
const MAX_SCHEMA = 100_000;
const MAX_NAME = 500;
const MAX_WARNINGS = 10;

/** Each tool is judged alone: the SDK's own schema refuses a whole page for one bad tool. */
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

export async function readToolList(client: Client, options: McpCallOptions): McpAnswer<ToolList> {
  const tools = new Map<string, ListedTool>();
  const warnings: string[] = [];
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const read = await ask((o) => client.request({ method: "tools/list", params }, page, o), options);
    if (!read.ok) return read;
    for (const listed of read.value.tools) {
      const tool = listedTool(listed);
      if (!tool.ok) warnings.push(tool.error);
      else if (tools.has(tool.value.name)) warnings.push(`tool "${clip(tool.value.name, 60)}" is listed twice`);
      else tools.set(tool.value.name, tool.value);
    }
    const { nextCursor } = read.value;
    if (nextCursor === undefined) break;
    if (nextCursor === cursor) return fail({ code: "bad_answer", message: "its list of tools goes round in circles" });
    cursor = nextCursor;
    if (tools.size < MAX_TOOLS && pages < MAX_PAGES) continue;
    warnings.unshift(`its list of tools is longer than ${tools.size}; the rest is left out`);
    break;
  }
  const accepted = [...tools.values()].slice(0, MAX_TOOLS);
  if (accepted.length < tools.size) warnings.unshift(`it has ${tools.size} tools; ${accepted.length} are taken`);
  const more = warnings.length - MAX_WARNINGS;
  return ok({
    tools: accepted,
    warnings: more > 0 ? [...warnings.slice(0, MAX_WARNINGS), `and ${more} more`] : warnings,
  });
}

/** `*` in a permission rule means every tool, and `sampling` means model calls: a tool of that name would borrow their leave. */
const RESERVED = new Set(["*", "sampling"]);

function listedTool(entry: unknown): Result<ListedTool, string> {
  const parsed = ToolSchema.safeParse(entry);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return fail(`tool ${nameIn(entry)} is left out: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`);
  }
  const { name, inputSchema, annotations, execution } = parsed.data;
  if (name.trim() === "" || name.length > MAX_NAME || RESERVED.has(name))
    return fail(`tool ${nameIn(entry)} is left out: that name cannot be used`);
  if (JSON.stringify(inputSchema).length > MAX_SCHEMA)
    return fail(`tool ${nameIn(entry)} is left out: its schema is longer than ${MAX_SCHEMA} characters`);
  return ok({
    name,
    description: descriptionOf(parsed.data),
    inputSchema,
    readOnly: annotations?.readOnlyHint === true,
    taskSupport: execution?.taskSupport ?? "forbidden",
  });
}

/** Characters that a person would not see are not for the model either. */
function descriptionOf({ description, title, annotations }: Tool): string {
  const { text } = stripInvisible(description ?? annotations?.title ?? title ?? "");
  return text.length <= MAX_DESCRIPTION ? text : `${cutAt(text, MAX_DESCRIPTION)}…`;
}

const nameIn = (entry: unknown): string => {
  const name = z.looseObject({ name: z.string() }).safeParse(entry);
  return name.success ? `"${clip(stripInvisible(name.data.name).text, 60)}"` : "without a name";
};
