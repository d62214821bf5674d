// How a research run begins: the report's place, whether an earlier run is taken up again, and the orchestrator's prompt.
import { basename, join } from "node:path";
import { quoted } from "../../base/tag.ts";
import again from "./again.md";
import orchestrator from "./orchestrator.md";
import { type ResearchRun, topicSlug, unfinished } from "./run.ts";

type ResearchStart = {
  /** Goes into `session.mode_changed`. */
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
  const broken = unfinished(last, topic);
  // A report can be there although the run does not know of it: the process was killed just then, or it was taken back.
  const isFree = broken && !taken.includes(basename(broken.path));
  const path = isFree ? broken.path : join(sessionDir, "research", `${slug}-${freeNumber(slug, taken)}.md`);
  const settled = broken?.dispatches.filter((d) => d.settled).length ?? 0;
  const parts = [orchestrator, ...(settled > 0 ? [again] : [])];
  const prompt = fill(parts.join("\n"), { topic: quoted(topic.trim()), path, settled: String(settled) });
  return { research: { topic: topic.trim(), path }, prompt };
}

function freeNumber(slug: string, taken: readonly string[]): number {
  const names = new Set(taken);
  let n = 1;
  while (names.has(`${slug}-${n}.md`)) n++;
  return n;
}

const fill = (text: string, values: Record<string, string>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole).trim();
