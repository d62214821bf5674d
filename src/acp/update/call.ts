// A tool call as an editor shows it: what kind it is, what it is about, which files it touches, what it changes.
import { isAbsolute, resolve } from "node:path";
import type { ToolCall, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { isRecord, textLength } from "../../base/json.ts";
import { clip, visible } from "../../base/text.ts";
import { callSubject } from "../../command/call-subject.ts";
import { factsOf, type ToolGroup } from "../../schema/own-tool.ts";
import type { OpenCallView } from "./state.ts";

const KINDS: Partial<Record<ToolGroup, ToolKind>> = {
  read: "read",
  search: "search",
  edit: "edit",
  shell: "execute",
  web: "fetch",
  agent: "think",
  todo: "think",
};

const TITLE_CHARS = 200;
/** Editors do not take lines of any length. */
const MAX_INPUT_CHARS = 4 * 1024 * 1024;

type Requested = { toolCallId: string; name: string; arguments: unknown };

/** As it is announced: nothing has happened yet. */
export function announced({ toolCallId, name, arguments: args }: Requested, cwd: string): ToolCall {
  const isLong = textLength(args) > MAX_INPUT_CHARS;
  const content = isLong ? undefined : diffOf(name, args, cwd);
  const locations = locationsOf(args, cwd);
  return {
    toolCallId,
    title: titleOf(name, args),
    name,
    kind: kindOf(name),
    status: "pending",
    ...(content ? { content: [content] } : {}),
    ...(locations.length > 0 ? { locations } : {}),
    rawInput: isLong ? { omitted: "Too long for an editor; the session's log has it." } : args,
  };
}

function kindOf(name: string): ToolKind {
  const facts = factsOf(name);
  if (facts?.endsMode) return "switch_mode";
  return (facts && KINDS[facts.group]) ?? "other";
}

function titleOf(name: string, args: unknown): string {
  const subject = callSubject(name, args);
  const about = subject === undefined ? "" : ` ${visible(subject.slice(0, 10_000)).replace(/\s+/g, " ").trim()}`;
  return clip(`${name}${about}`, TITLE_CHARS);
}

/** A call that writes text says so itself: the editor shows it before and after. */
function diffOf(name: string, args: unknown, cwd: string): ToolCallContent | undefined {
  if (factsOf(name)?.group !== "edit" || !isRecord(args) || typeof args["path"] !== "string") return undefined;
  const { old_str: before, new_str: after, file_text: whole } = args;
  const path = absolute(args["path"], cwd);
  if (typeof whole === "string") return { type: "diff", path, oldText: null, newText: whole };
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  return { type: "diff", path, oldText: before, newText: after };
}

function locationsOf(args: unknown, cwd: string): ToolCallLocation[] {
  if (!isRecord(args) || typeof args["path"] !== "string") return [];
  const [first] = Array.isArray(args["view_range"]) ? args["view_range"] : [];
  return [{ path: absolute(args["path"], cwd), ...(Number.isInteger(first) && first > 0 ? { line: first } : {}) }];
}

/** Paths of the protocol are absolute. */
export const absolute = (path: string, cwd: string): string => (isAbsolute(path) ? path : resolve(cwd || "/", path));

export const openCall = ({ content = [] }: ToolCall): OpenCallView => ({ printed: "", hasDiff: content.length > 0 });

export const textContent = (text: string): ToolCallContent => ({ type: "content", content: { type: "text", text } });
