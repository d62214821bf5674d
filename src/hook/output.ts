// What a hook answers, read strictly: an answer that is not understood is a failure, never no opinion.
import * as z from "zod";
import { isRecord, isTooDeep, parseJson } from "../base/json.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { clip } from "../base/text.ts";
import { decides, type HookName } from "./name.ts";

const context = { additionalContext: z.string().optional() };
const block = { decision: z.enum(["block", "allow"]).optional(), reason: z.string().optional() };
/** Other agents' hooks say in this form that nothing may go on; ours may where they decide what may run. */
const halt = { continue: z.boolean().optional(), stopReason: z.string().optional() };
const shapes = {
  sessionStart: z.object(context),
  sessionEnd: z.object({}),
  userPromptSubmitted: z.object({ ...context, ...block, modifiedPrompt: z.string().optional() }),
  preToolUse: z.object({
    ...context,
    ...halt,
    permissionDecision: z.enum(["allow", "deny", "ask"]).optional(),
    permissionDecisionReason: z.string().optional(),
    modifiedArguments: z.record(z.string(), z.unknown()).optional(),
    suppressOutput: z.boolean().optional(),
    handled: z.boolean().optional(),
    responseContent: z.string().optional(),
  }),
  postToolUse: z.object(context),
  postToolUseFailure: z.object(context),
  permissionRequest: z.object({
    ...halt,
    decision: z.enum(["allow", "deny"]).optional(),
    reason: z.string().optional(),
  }),
  subagentStart: z.object(context),
  subagentStop: z.object(block),
  agentStop: z.object(block),
  preCompact: z.object({ ...context, ...block }),
  errorOccurred: z.object({}),
  notification: z.object({}),
} satisfies Record<HookName, z.ZodType>;

/** What other agents' hooks may say beside; nothing is made of it. */
const ALSO_KNOWN: ReadonlySet<string> = new Set([
  "systemMessage",
  "suppressOutput",
  "decision",
  "reason",
  "updatedInput",
]);

/** The fields that any hook may use; an answer has some of them. */
export type HookOutput = {
  additionalContext?: string | undefined;
  modifiedPrompt?: string | undefined;
  decision?: "allow" | "deny" | "block" | undefined;
  reason?: string | undefined;
  permissionDecision?: "allow" | "deny" | "ask" | undefined;
  permissionDecisionReason?: string | undefined;
  modifiedArguments?: Record<string, unknown> | undefined;
  suppressOutput?: boolean | undefined;
  handled?: boolean | undefined;
  responseContent?: string | undefined;
};

/** Nothing at all is no opinion. */
export function parseOutput(name: HookName, text: string): Result<HookOutput, string> {
  if (text.trim() === "") return ok({});
  const json = parseJson(text);
  if (!json.ok || !isRecord(json.value))
    return fail(`its answer is not a JSON object: ${clip(JSON.stringify(text.trim()), 100)}`);
  if (isTooDeep(json.value)) return fail("its answer is nested too deep");
  const output = inOurWords(name, json.value);
  const unknown = decides(name) ? unknownWords(name, output) : [];
  if (unknown.length > 0) return fail(`its answer has no known field: ${clip(unknown.join(", "), 100)}`);
  const parsed = shapes[name].safeParse(output);
  if (parsed.success) return ok(halted(name, parsed.data));
  const issue = parsed.error.issues[0];
  return fail(`its answer cannot be used: ${issue?.path.join(".")}: ${issue?.message}`);
}

/** The answer of a hook that says no without words: exit code 2. */
export function blockingOutput(name: HookName, reason: string): HookOutput {
  if (name === "preToolUse") return { permissionDecision: "deny", permissionDecisionReason: reason };
  return { decision: name === "permissionRequest" ? "deny" : "block", reason };
}

/** `continue: false`, which is a no whatever else was said. */
function halted(
  name: HookName,
  output: HookOutput & { continue?: boolean | undefined; stopReason?: string | undefined },
): HookOutput {
  const { continue: goesOn, stopReason, ...rest } = output;
  return goesOn === false ? { ...rest, ...blockingOutput(name, stopReason ?? "") } : rest;
}

/** All that it says, when none of it is known: a no in words that nobody understands must not count as no opinion. */
function unknownWords(name: HookName, answer: Record<string, unknown>): string[] {
  const words = Object.keys(answer);
  return words.some((word) => Object.hasOwn(shapes[name].shape, word) || ALSO_KNOWN.has(word)) ? [] : words;
}

/** What other agents' hooks say, under our names. */
function inOurWords(name: HookName, answer: Record<string, unknown>): Record<string, unknown> {
  const { hookSpecificOutput: specific, ...rest } = camelKeys(answer);
  const output: Record<string, unknown> = { ...rest, ...(isRecord(specific) ? camelKeys(specific) : {}) };
  delete output["hookEventName"]; // says nothing of its own
  const { updatedInput, decision } = output;
  if (updatedInput !== undefined) output["modifiedArguments"] ??= updatedInput;
  if (isRecord(decision)) {
    // {behavior, message}, of a permission request
    output["decision"] = decision["behavior"];
    output["reason"] ??= decision["message"];
  }
  if (output["decision"] === "approve") output["decision"] = "allow";
  if (name === "preToolUse" && output["decision"] !== undefined) {
    output["permissionDecision"] ??= output["decision"] === "block" ? "deny" : output["decision"];
    output["permissionDecisionReason"] ??= output["reason"];
  }
  return output;
}

/** A hook that is told in snake_case may answer so. */
const camelKeys = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key.replace(/_([a-z])/g, (_all, c: string) => c.toUpperCase()), one]),
  );
