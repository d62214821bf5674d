// How a research run begins: the report's place, whether an earlier run is taken up again, and the orchestrator's prompt.
import { join } from "node:path";
import { cutAt } from "../../base/text.ts";
import again from "./again.md";
import orchestrator from "./orchestrator.md";
import type { ResearchRun } from "./run.ts";

export type ResearchStart = {
  /** For `session.mode_changed`. */
  research: { topic: string; path: string };
  prompt: string;
};

/** `last`: the newest run of the chain; `taken`: names in the session's folder `research`. */
export function beginResearch(
  topic: string,
  sessionDir: string,
  last: ResearchRun | undefined,
  taken: readonly string[],
): ResearchStart {
  const slug = topicSlug(topic);
  const broken = last && !last.written && topicSlug(last.topic) === slug ? last : undefined;
  const path = broken?.path ?? join(sessionDir, "research", `${slug}-${freeNumber(slug, taken)}.md`);
  const settled = broken?.dispatches.filter((d) => d.settled).length ?? 0;
  const parts = [orchestrator, ...(settled > 0 ? [again] : [])];
  const prompt = fill(parts.join("\n"), { topic: topic.trim(), path, settled: String(settled) });
  return { research: { topic: topic.trim(), path }, prompt };
}

/** Letters of every script stay: a topic is often not English. */
export function topicSlug(topic: string): string {
  const words = topic
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+/, "");
  return cutAt(words, 40).replace(/-+$/, "") || "topic";
}

function freeNumber(slug: string, taken: readonly string[]): number {
  const names = new Set(taken);
  let n = 1;
  while (names.has(`${slug}-${n}.md`)) n++;
  return n;
}

const fill = (text: string, values: Record<string, string>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole).trim();
