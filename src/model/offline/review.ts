// The reviewing agents under the offline model: it says that it cannot judge, and lists the files that are concerned.
import type { ModelRequest } from "../contract.ts";
import type { OfflineDecision } from "./chat.ts";
import { gather } from "./gather.ts";
import { readQuestion } from "./question.ts";
import { matchesPath } from "./rank.ts";
import type { Round } from "./round.ts";
import { escapePattern } from "./word-match.ts";
import { CANNOT_JUDGE } from "./wording.ts";

const MAX_LISTED = 50;

export function decideReview(request: ModelRequest, round: Round, offered: ReadonlySet<string>): OfflineDecision {
  const question = readQuestion(round.text);
  const names = question.terms.filter((term) => term.kind === "name").map((term) => escapePattern(term.text));
  const calls = [
    ...question.paths.map(({ path }) => ({
      name: "glob",
      args: { pattern: `**/${path.replace(/^\.?\//, "").replace(/\/$/, "/**")}` },
    })),
    ...(names.length > 0
      ? [{ name: "grep", args: { pattern: names.join("|"), output_mode: "files", head_limit: MAX_LISTED } }]
      : []),
  ].filter((call) => offered.has(call.name));
  if (round.steps === 0 && calls.length > 0) return { type: "call", calls };

  const evidence = gather(request, round);
  const unseen = question.paths
    .map(({ path }) => path)
    .filter((path) => !evidence.names.some((name) => matchesPath(name, path)));
  const files = [...evidence.names, ...unseen.map((path) => `${path} (named, not seen)`)].slice(0, MAX_LISTED);
  const list =
    files.length > 0
      ? `Files concerned:\n${files.map((file) => `- ${file}`).join("\n")}`
      : "The request names no files.";
  return { type: "say", paragraphs: [CANNOT_JUDGE, list], success: false };
}
