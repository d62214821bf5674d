// Items as plain text for a summariser that gets no tools: every message labelled with its turn.
import { quoted } from "../../base/tag.ts";
import type { SessionItem } from "./items.ts";
import { formerSummary } from "./summary.ts";

/** What a label adds to the item's own tokens, at most. */
export const LABEL_TOKENS = 16;

export const transcript = (items: readonly SessionItem[]): string => items.flatMap(lines).join("\n\n");

function lines({ raw, kind, turn, isPrompt }: SessionItem): string[] {
  const label = `[t${turn}]`;
  if (kind === "compaction") return [`${label} summary of everything before:\n${formerSummary(raw.content)}`];
  switch (raw.role) {
    case "user":
      return [`${label} ${isPrompt ? "user" : "notice"}: ${quoted(raw.content)}`, ...attached(label, raw.attachments)];
    case "assistant":
      return [
        ...(raw.content.trim() === "" ? [] : [`${label} assistant: ${quoted(raw.content)}`]),
        ...raw.toolRequests.map(
          ({ name, arguments: given }) => `${label} assistant calls ${name}: ${quoted(JSON.stringify(given) ?? "")}`,
        ),
      ];
    case "tool":
      return [
        `${label} result of ${raw.toolName}${raw.isError ? " (error)" : ""}: ${quoted(raw.content)}`,
        ...attached(label, raw.attachments),
      ];
  }
}

function attached(label: string, attachments: readonly { kind: string; path: string }[] = []): string[] {
  return attachments.map(({ kind, path }) => `${label} attached ${kind}: ${quoted(path)}`);
}
