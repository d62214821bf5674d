// Whether a hook is meant: its matcher held against the subject of the moment.
import { factsOf } from "../schema/own-tool.ts";
import type { Hook } from "./hook.ts";
import type { Payload } from "./input.ts";
import { SUBJECT } from "./name.ts";

export function matches(hook: Pick<Hook, "name" | "alias" | "matcher">, payload: Payload): boolean {
  const { matcher } = hook;
  const field = SUBJECT[hook.name];
  if (!matcher || !field) return true;
  const subject = String(payload[field] ?? "");
  if (matcher.test(subject)) return true;
  // A hook written for another agent names our tools in that agent's words.
  return (
    hook.alias !== undefined &&
    field === "toolName" &&
    (factsOf(subject)?.aliases ?? []).some((name) => matcher.test(name))
  );
}
