// Everlong called from a tool's shell: it may look at its settings, trust, consent, memories, board and inbox, never change them, and never reach into an open session.
import { basename } from "node:path";
import type { ShellWord } from "./word.ts";

const LAUNCHERS = /^(npx|bunx|npm|pnpm|yarn|node|bun|deno|tsx)$/;
const LOOKS: Record<string, RegExp> = {
  settings: /^(list|get)$/,
  trust: /^(--list|list)$/,
  consent: /^list$/,
  // An option first is a list, or the name stands after a flag of a run.
  memory: /^(list|search|show|changes|export|-.*)$/,
  board: /^(list|show|changes|-.*)$/,
  inbox: /^(list|show|-.*)$/,
  // Whoever writes to an open session speaks with the user's voice.
  sessions: /^(?!(send|stop|compact)$)/,
};

/** True when this command would change one of them, or might. */
export function changesOwnSettings(words: readonly ShellWord[]): boolean {
  const own = words.findIndex((w) => /^everlong(\.m?js)?$/i.test(basename(w.value)));
  if (own < 0 || (own > 0 && !LAUNCHERS.test(basename(words[0]?.value ?? "")))) return false;
  const args = words.slice(own + 1);
  const first = args.findIndex((w) => !w.literal || w.value in LOOKS);
  if (first < 0) return false;
  const topic = args[first];
  if (!topic?.literal || args.some((w) => !w.literal)) return true;
  const rest = args.slice(first + 1).filter((w) => w.value !== "--json" && w.value !== "--");
  const verb = rest[0]?.value;
  if (verb === undefined) return topic.value === "trust";
  return !LOOKS[topic.value]?.test(verb);
}
