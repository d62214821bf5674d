// Everlong called from a tool's shell: it may look at its settings, trust, consent, tokens and memories, never change them or give leave, and never reach into an open session.
import { basename } from "node:path";
import type { ShellWord } from "./word.ts";

const LAUNCHERS = /^(npx|bunx|npm|pnpm|yarn|node|bun|deno|tsx)$/;
/** By topic, the first word or option after it with which it only looks; an empty one: without any. */
const LOOKS: Record<string, RegExp> = {
  backup: /^--verify$/,
  // An option first is a list, or the name stands after a flag of a run.
  board: /^(list|show|changes|-.*|)$/,
  consent: /^(list|)$/,
  graph: /^(facts|search|entity|timeline|communities|export|status|promotions|-.*|)$/,
  inbox: /^(list|show|-.*|)$/,
  memory: /^(list|search|show|changes|export|-.*|)$/,
  // Whoever writes to an open session speaks with the user's voice.
  sessions: /^(?!(send|stop|compact)$)/,
  settings: /^(list|get|)$/,
  // Whoever has a token speaks with a member's voice.
  token: /^(list|)$/,
  trust: /^(--list|list)$/,
  wipe: /(?!)/,
};
/** An agent that gives another one more than it has itself would have it too. */
const GIVES_LEAVE = /^--(allow-all|yolo|allow-tool|trust-folder)(=|$)/;

/** True when this command would change one of them, or might. */
export function changesOwnSettings(words: readonly ShellWord[]): boolean {
  const own = words.findIndex((w) => /^everlong(\.m?js)?$/i.test(basename(w.value)));
  if (own < 0 || (own > 0 && !LAUNCHERS.test(basename(words[0]?.value ?? "")))) return false;
  const args = words.slice(own + 1);
  if (args.some((w) => GIVES_LEAVE.test(w.value))) return true;
  const first = args.findIndex((w) => !w.literal || Object.hasOwn(LOOKS, w.value));
  if (first < 0) return false;
  const topic = args[first];
  if (!topic?.literal || args.some((w) => !w.literal)) return true;
  const rest = args.slice(first + 1).filter((w) => w.value !== "--json" && w.value !== "--");
  return !LOOKS[topic.value]?.test(rest[0]?.value ?? "");
}
