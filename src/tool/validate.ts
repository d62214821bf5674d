// A model's call, checked before anything happens: the tool exists, the arguments are JSON and fit its schema exactly.
import type { z } from "zod";
import { isRecord, parseJson } from "../base/json.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { clip, nearNames } from "../base/text.ts";
import type { Tool } from "./contract.ts";

/** `args`: the arguments as an object, as they were given. */
type ValidCall = { tool: Tool; input: unknown; args: Record<string, unknown> };
type InvalidCall = { code: "not_found" | "invalid_inputs"; message: string };

/** `args` is the parsed object, or the raw text when it did not parse. Near names come from what is offered, never from hidden tools. */
export function validateCall(offered: Iterable<Tool>, name: string, args: unknown): Result<ValidCall, InvalidCall> {
  const tools = [...offered];
  const tool = tools.find((t) => t.name === name);
  if (!tool) {
    const near = nearNames(
      name,
      tools.map((t) => t.name),
    );
    const hint =
      near.length > 0 ? ` Did you mean ${near.join(", ")}?` : ` Available: ${tools.map((t) => t.name).join(", ")}.`;
    return fail({ code: "not_found", message: `No such tool: "${clip(name, 80)}".${hint}` });
  }
  const object = asObject(args);
  if (!object) {
    return fail({
      code: "invalid_inputs",
      message: `The arguments of ${name} are not a JSON object. Nothing was run. Send the call again.`,
    });
  }
  const parsed = tool.input.safeParse(object);
  if (parsed.success) return ok({ tool, input: parsed.data, args: object });
  const message = `${explain(parsed.error)}. Nothing was run.`;
  return fail({ code: "invalid_inputs", message: `Wrong arguments for ${name}: ${message}` });
}

/** Some models send no text at all for a call without arguments, some send the object as text. */
function asObject(args: unknown): Record<string, unknown> | undefined {
  if (args === undefined || args === null) return {};
  if (isRecord(args)) return args;
  if (typeof args !== "string") return undefined;
  if (args.trim() === "") return {};
  const parsed = parseJson(args);
  return parsed.ok && isRecord(parsed.value) ? parsed.value : undefined;
}

function explain(error: z.ZodError): string {
  const reasons = error.issues.slice(0, 8).map((issue) => {
    if (issue.code === "unrecognized_keys")
      return `unknown argument ${issue.keys.map((k) => `"${clip(k, 80)}"`).join(", ")}`;
    return `"${issue.path.join(".")}": ${issue.message}`;
  });
  return reasons.join("; ");
}
