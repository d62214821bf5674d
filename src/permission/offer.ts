// The rules that an answer "for this session" or "for this location" would store: exactly as wide as they are shown.
import type { PermissionPart } from "./part.ts";
import { insideAny } from "./path.ts";
import { covers } from "./permit.ts";
import type { Policy } from "./policy.ts";
import { parseRule } from "./rule.ts";
import { identifier } from "./shell/identifier.ts";
import { shown } from "./shown.ts";

export type ApprovalOffer = { session?: string[]; location?: string[] };

/** Nothing is offered unless the rules together cover every part, so that the same call does not ask again. */
export function offerFor(parts: readonly PermissionPart[], policy: Policy): ApprovalOffer {
  const texts = new Set<string>();
  for (const part of parts) {
    const text = ruleFor(part, policy);
    if (text === undefined) return {};
    texts.add(text);
  }
  const session = [...texts];
  return policy.trusted ? { session, location: session } : { session };
}

/**
 * The narrowest rule that people are offered for a part; undefined when it can only be approved once, which is so too
 * where the rule cannot be shown exactly as it would be stored.
 */
export function ruleFor(part: PermissionPart, policy: Policy): string | undefined {
  const text = ruleText(part, policy);
  const rule = text === undefined || text !== shown(text) ? undefined : parseRule(text);
  return rule?.ok && covers(rule.value, part, policy) ? text : undefined;
}

function ruleText(part: PermissionPart, policy: Policy): string | undefined {
  switch (part.kind) {
    case "shell":
      return part.opaqueReason ? undefined : `shell(${identifier(part.words.map((w) => w.value))}:*)`;
    case "read":
    case "write":
      return insideAny(part.real, policy.allowedFolders) ? part.kind : `${part.kind}(${part.real})`;
    case "url":
      return URL.canParse(part.url) ? `url(${new URL(part.url).origin})` : undefined;
    case "mcp":
      return `mcp(${part.server}:${part.tool})`;
    case "memory":
      return "memory";
    case "hook":
      return `hook(${part.name})`;
  }
}
