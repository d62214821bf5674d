// What grep and glob share: ripgrep within the tools' limits, over files that ignore rules leave in.
import { randomBytes } from "node:crypto";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fail, ok, type Result } from "../../base/result.ts";
import type { Owner } from "../../host/process.ts";
import { ripgrep } from "../../host/ripgrep.ts";
import { failure, type ToolContext, type ToolOutcome } from "../contract.ts";
import { targetOf } from "../target.ts";

export type SearchParts = {
  owner: Owner;
  env: () => Record<string, string>;
  /** Globs, from this real folder on, of files that rules keep from a search; letter case does not count. */
  hidden?: (folder: string) => readonly string[];
};

export const MAX_RESULTS = 200;
const LIMIT_MS = 20_000;
/** Hidden files count, except git's own; ignore files count outside of git too; the user's ripgrep settings do not. */
const COMMON = ["--no-config", "--no-ignore-messages", "--color=never", "--hidden", "--no-require-git", "--glob=!.git"];

type SearchMatches = { folder: string; stdout: string; cut: boolean; errors: string };

type SearchArgs = {
  path?: string | undefined;
  glob?: string | undefined;
  args: readonly string[];
  maxBytes: number;
};

/** Runs ripgrep in the folder asked for, or on the file asked for. */
export async function search(
  parts: SearchParts,
  request: SearchArgs,
  context: ToolContext,
): Promise<Result<SearchMatches, ToolOutcome>> {
  const target = targetOf(request.path ?? ".", context);
  if (!target.ok) return target;
  const stat = statSync(target.value, { throwIfNoEntry: false });
  if (!stat) return fail(failure("not_found", `${request.path} does not exist.`));
  const folder = stat.isDirectory() ? target.value : dirname(target.value);
  const rules = request.glob === undefined ? undefined : onlyMatching(request.glob, context.sessionDir);
  try {
    const end = await ripgrep({
      owner: parts.owner,
      args: [
        ...COMMON,
        ...(parts.hidden?.(folder) ?? []).map((glob) => `--iglob=!${glob}`),
        ...(rules ? ["--ignore-file", rules] : []),
        ...request.args,
        stat.isDirectory() ? "./" : basename(target.value),
      ],
      cwd: folder,
      env: parts.env(),
      limitMs: LIMIT_MS,
      maxBytes: request.maxBytes,
      signal: context.signal,
    });
    if (end.type === "aborted") return fail(failure("interrupted", "The search was interrupted."));
    if (end.type === "timeout")
      return fail(failure("timeout", `The search took longer than ${LIMIT_MS / 1000} s. Narrow it with path or glob.`));
    if (end.code === 2 && end.stdout.length === 0) return fail(failure("invalid_inputs", end.stderr.trim()));
    return ok({
      folder,
      stdout: end.stdout.toString("utf8"),
      cut: end.type === "cut",
      errors: end.code === 2 ? end.stderr.trim() : "",
    });
  } finally {
    if (rules) rmSync(rules, { force: true });
  }
}

/** ripgrep's own --glob would bring ignored files back; as the weakest ignore file, a glob only narrows. */
function onlyMatching(glob: string, sessionDir: string): string {
  const file = join(sessionDir, `.glob-${randomBytes(6).toString("hex")}`);
  const pattern = glob.replace(/^\.\//, "").replace(/[\r\n]/g, "");
  const rules = pattern.startsWith("!") ? `${pattern.slice(1)}\n` : `*\n!*/\n!${pattern}\n`;
  writeFileSync(file, rules, { mode: 0o600, flag: "wx" });
  return file;
}
