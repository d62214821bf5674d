// `allowed-tools` of skills and commands: permission rules that hold from the moment it is used.
import { parseRule } from "../../permission/rule.ts";
import type { Rule } from "../../schema/permission.ts";
import type { FieldReader } from "./field.ts";

/** What names no permission is warned about and gives none. */
export function readToolRules(read: FieldReader): Rule[] {
  return (read.list("allowed-tools") ?? []).flatMap((text) => {
    const rule = parseRule(text);
    if (!rule.ok) read.warn("allowed-tools", `${rule.error}.`);
    return rule.ok ? [rule.value] : [];
  });
}
