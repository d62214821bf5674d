// grep: searches the contents of files.
import { join } from "node:path";
import * as z from "zod";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, failure, success, type Tool } from "../contract.ts";
import { absolutePath, shownPath } from "../target.ts";
import description from "./grep.md";
import { MAX_RESULTS, type SearchParts, search } from "./search.ts";

const input = z.strictObject({
  pattern: z.string().min(1).describe("Regular expression."),
  description: z.string().optional().describe("What is searched for, for the user, when the pattern is hard to read."),
  path: z.string().optional().describe("File or folder; the working folder when absent."),
  glob: z.string().min(1).optional().describe("Only files matching this pattern."),
  type: z.string().min(1).optional().describe("Only files of this type, as ripgrep names it."),
  output_mode: z.enum(["files", "content", "count"]).optional(),
  ignore_case: z.boolean().optional(),
  context: z.number().int().min(0).max(50).optional().describe("Lines before and after each match, for content."),
  multiline: z.boolean().optional(),
  head_limit: z.number().int().min(1).optional().describe("At most this many results (200 at most)."),
});
type Input = z.infer<typeof input>;

const MAX_BYTES = 4 * 1024 * 1024;

export function grepTool(parts: SearchParts): Tool {
  return defineTool({
    ...ownTool("grep"),
    description,
    input,
    planMode: true,
    permissions: ({ path }, { cwd }) => [{ kind: "read", path: absolutePath(path ?? ".", cwd) }],
    async run(input, context) {
      const output = await search(
        parts,
        { path: input.path, glob: input.glob, args: argsOf(input), maxBytes: MAX_BYTES },
        context,
      );
      if (!output.ok) return badPattern(input.pattern, output.error);
      const { folder, stdout, errors, cut } = output.value;
      const shown = (path: string) => shownPath(join(folder, path), context.cwd);
      const limit = Math.min(input.head_limit ?? MAX_RESULTS, MAX_RESULTS);
      const { lines, results, more } =
        (input.output_mode ?? "files") === "content" ? matches(stdout, limit, shown) : perFile(stdout, limit, shown);
      const notes = [
        more > 0 || cut ? `[… first ${results} results, ${cut ? "many" : more} more; narrow the search]` : "",
        errors === "" ? "" : `[not everything could be searched: ${errors}]`,
      ].filter(Boolean);
      if (results === 0) return success(["No matches.", ...notes].join("\n"));
      return success([...lines, ...notes].join("\n"));
    },
  });
}

function argsOf(input: Input): string[] {
  const mode = input.output_mode ?? "files";
  return [
    "--sort=path", // the same search gives the same text
    "--null",
    "--with-filename",
    ...(mode === "files"
      ? ["--files-with-matches"]
      : mode === "count"
        ? ["--count-matches"]
        : ["--line-number", "--no-heading"]),
    ...(mode === "content" ? ["--max-columns=500", "--max-columns-preview"] : []),
    ...(mode === "content" && input.context ? [`--context=${input.context}`] : []),
    ...(input.ignore_case ? ["--ignore-case"] : []),
    ...(input.multiline ? ["--multiline", "--multiline-dotall"] : []),
    ...(input.type === undefined ? [] : [`--type=${input.type}`]),
    `--regexp=${input.pattern}`,
    "--",
  ];
}

type Listed = { lines: string[]; results: number; more: number };

/** Lines `path NUL number:text`, or `number-text` around a match. Lines around the last match shown are kept. */
function matches(stdout: string, limit: number, shown: (path: string) => string): Listed {
  const listed: Listed = { lines: [], results: 0, more: 0 };
  for (const line of stdout.split("\n")) {
    const end = line.indexOf("\0");
    const [, number, kind, text] = /^(\d+)([:-])(.*)$/s.exec(line.slice(end + 1)) ?? [];
    const isMatch = end !== -1 && kind === ":";
    if (isMatch && listed.results >= limit) listed.more++;
    else if (isMatch) listed.results++;
    if (listed.more > 0 || line === "") continue;
    listed.lines.push(
      end === -1 || kind === undefined ? line : `${shown(line.slice(0, end))}${kind}${number}${kind}${text}`,
    );
  }
  return listed;
}

/** `path NUL`, or lines `path NUL count`. */
function perFile(stdout: string, limit: number, shown: (path: string) => string): Listed {
  const entries = [...stdout.matchAll(/([^\0\n][^\0]*)\0(?:(\d+)\n)?/g)].map(([, path, count]) => {
    return count === undefined ? shown(path ?? "") : `${shown(path ?? "")}:${count}`;
  });
  return {
    lines: entries.slice(0, limit),
    results: Math.min(entries.length, limit),
    more: Math.max(0, entries.length - limit),
  };
}

function badPattern(pattern: string, outcome: ReturnType<typeof failure>) {
  if (outcome.type !== "failure" || !outcome.message.includes("regex parse error")) return outcome;
  const literal = pattern.replace(/[\\.+*?()|[\]{}^$#&\-~]/g, "\\$&");
  return failure(
    "invalid_inputs",
    `"pattern": ${outcome.message}\nTo search for the text literally, use the pattern: ${literal}`,
  );
}
