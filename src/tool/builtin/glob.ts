// glob: finds files by name, newest first.
import { statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, success, type Tool } from "../contract.ts";
import { absolutePath, shownPath } from "../target.ts";
import description from "./glob.md";
import { MAX_RESULTS, type SearchParts, search } from "./search.ts";

const input = z.strictObject({
  pattern: z.string().min(1).describe("For example *.ts or src/**/*.test.ts"),
  path: z.string().optional().describe("Folder to look in; the working folder when absent."),
  head_limit: z.number().int().min(1).optional().describe("At most this many results (200 at most)."),
});

/** Enough for some hundred thousand paths. */
const MAX_BYTES = 32 * 1024 * 1024;

export function globTool(parts: SearchParts): Tool {
  return defineTool({
    ...ownTool("glob"),
    description,
    input,
    planMode: true,
    permissions: ({ path }, { cwd }) => [{ kind: "read", path: absolutePath(path ?? ".", cwd) }],
    async run({ pattern, path, head_limit }, context) {
      const output = await search(
        parts,
        { path, glob: pattern, args: ["--files", "--null"], maxBytes: MAX_BYTES },
        context,
      );
      if (!output.ok) return output.error;
      const { folder, stdout, cut } = output.value;
      const files = stdout
        .split("\0")
        .filter((name) => name !== "")
        .map((name) => ({ name: join(folder, name), time: modified(join(folder, name)) }))
        .sort((a, b) => b.time - a.time || (a.name < b.name ? -1 : 1));
      const shown = files.slice(0, Math.min(head_limit ?? MAX_RESULTS, MAX_RESULTS));
      const more = files.length - shown.length;
      const note =
        more > 0 || cut
          ? [`[… the newest ${shown.length} of ${cut ? "more than " : ""}${files.length} files; narrow the pattern]`]
          : [];
      return success([...shown.map((f) => shownPath(f.name, context.cwd)), ...note].join("\n") || "No files match.");
    },
  });
}

function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
