// edit: replaces exact text in a file that is still as the model knows it.
import * as z from "zod";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { decodeUtf8, looksBinary, realTarget } from "../../host/files.ts";
import { ownTool } from "../../schema/own-tool.ts";
import type { ToolErrorCode } from "../../schema/tool.ts";
import { defineTool, failure, success, type Tool } from "../contract.ts";
import { promptDiff, unifiedDiff } from "../diff.ts";
import { type EditorFiles, readText, writeText } from "../editor.ts";
import type { Ledger } from "../ledger.ts";
import { type FileSnapshots, hashOf } from "../snapshot.ts";
import { absolutePath, shownPath, targetOf } from "../target.ts";
import description from "./edit.md";
import { replaceExact } from "./replace.ts";
import { WHOLE_BYTES } from "./view.ts";

const input = z.strictObject({
  path: z.string().min(1).describe("The file to change."),
  old_str: z.string().describe("The exact text to replace."),
  new_str: z.string().describe("The text to put in its place."),
  replace_all: z.boolean().optional().describe("Replace every occurrence."),
});
type Input = z.infer<typeof input>;

/** Changes of one file run one after another. */
export const fileLane = (path: string, cwd: string): string => `file:${absolutePath(path, cwd)}`;

type Plan = { before: string; after: string; mode: number };

type EditToolParts = {
  ledger: Ledger;
  /** Those that an editor has. */
  files?: EditorFiles | undefined;
  snapshots?: FileSnapshots;
};

export function editTool({ ledger, files, snapshots }: EditToolParts): Tool {
  return defineTool({
    ...ownTool("edit"),
    description,
    input,
    planMode: true,
    permissions: ({ path }, { cwd }) => [{ kind: "write", path: absolutePath(path, cwd) }],
    async foresee(input, { cwd, mayRead }) {
      const target = realTarget(absolutePath(input.path, cwd));
      if (!(await mayRead(target))) return undefined;
      const plan = await planEdit(target, input, { ledger, files });
      return plan.ok ? undefined : plan.error;
    },
    // Where no diff can be made, the call will fail and change nothing.
    preview: async (input, { cwd }) => {
      const plan = await planEdit(realTarget(absolutePath(input.path, cwd)), input, { files });
      return plan.ok ? promptDiff(input.path, plan.value.before, plan.value.after) : undefined;
    },
    lane: ({ path }, { cwd }) => fileLane(path, cwd),
    async run(input, context) {
      const target = targetOf(input.path, context);
      if (!target.ok) return target.error;
      const path = target.value;
      const plan = await planEdit(path, input, { ledger, files });
      if (!plan.ok) return failure(plan.error.code, plan.error.message);
      const { before, after, mode } = plan.value;
      const bytes = Buffer.from(after);
      const old = Buffer.from(before);
      const { snapshot, note } = (await snapshots?.keep(path, old)) ?? {};
      const written = await writeText(path, after, mode, files);
      if (!written.ok) return failure("failed", `${written.error.message} Nothing was changed.`);
      ledger.saw(path, bytes);
      const { text: diff, added, removed } = unifiedDiff(shownPath(path, context.cwd), before, after);
      const hashes = { before: hashOf(old), after: hashOf(bytes) };
      const change = { path, operation: "edit" as const, added, removed, ...hashes };
      return success(note === undefined ? diff : `${diff}\n${note}`, {
        display: diff,
        files: [{ ...change, ...optional("snapshot", snapshot) }],
      });
    },
  });
}

type EditParts = { ledger?: Ledger; files: EditorFiles | undefined };
type Obstacle = { code: ToolErrorCode; message: string };

async function planEdit(path: string, input: Input, { ledger, files }: EditParts): Promise<Result<Plan, Obstacle>> {
  const read = await readText(path, WHOLE_BYTES, files);
  if (!read.ok) {
    const code = read.error.code === "not_found" || read.error.code === "too_large" ? read.error.code : "failed";
    return fail({ code, message: `${read.error.message} Nothing was changed.` });
  }
  const { bytes, mode } = read.value;
  const before = looksBinary(bytes) ? undefined : decodeUtf8(bytes);
  if (before === undefined) return obstacle(`${path} is not UTF-8 text: it cannot be edited without damage. Use bash.`);
  if (ledger && !ledger.isCurrent(path, bytes))
    return obstacle(`${path} has changed since you last saw it. Nothing was changed. View it again, then edit.`);
  const replaced = replaceExact(before, input.old_str, input.new_str, input.replace_all ?? false);
  if (!replaced.ok) return obstacle(`Nothing was changed in ${input.path}: ${replaced.error}`);
  return ok({ before, after: replaced.value, mode });
}

const obstacle = (message: string): Result<never, Obstacle> => fail({ code: "failed", message });
