// view: a file's lines with numbers, a folder's entries, or an image.
import { closeSync, type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { errorText } from "../../base/failure.ts";
import { looksBinary, openRegular, readAt } from "../../host/files.ts";
import { ownTool } from "../../schema/own-tool.ts";
import { spillBytes } from "../../store/spill.ts";
import { defineTool, failure, success, type Tool, type ToolContext, type ToolOutcome } from "../contract.ts";
import type { EditorFiles } from "../editor.ts";
import type { Ledger } from "../ledger.ts";
import { imageType } from "../media.ts";
import { chunksOf, readLines } from "../read-lines.ts";
import { absolutePath, shownPath, targetOf } from "../target.ts";
import description from "./view.md";

type ViewParts = {
  ledger: Ledger;
  /** Those that an editor has. */
  files?: EditorFiles | undefined;
  settings: { outputMaxBytes: number };
  /** Whether the model in force takes images. */
  images: () => boolean;
};

/** Up to this size a file is read to its end, so that its lines are counted and an edit can be checked against it. */
export const WHOLE_BYTES = 16 * 1024 * 1024;
const IMAGE_BYTES = 5 * 1024 * 1024;
const FRAME_BYTES = 512;
const FOLDER_ENTRIES = 500;
const SKIPPED = new Set([".git", "node_modules"]);

const endingOf = (mediaType: string): string => `.${mediaType.slice("image/".length)}`;

const input = z.strictObject({
  path: z.string().min(1).describe("File or folder; absolute, or relative to the working folder."),
  view_range: z
    .array(z.number().int())
    .length(2)
    .optional()
    .describe("[first, last] line, counted from 1; last -1 = to the end."),
});
type Input = z.infer<typeof input>;

export function viewTool(parts: ViewParts): Tool {
  return defineTool({
    ...ownTool("view"),
    description,
    input,
    planMode: true,
    permissions: ({ path }, { cwd }) => [{ kind: "read", path: absolutePath(path, cwd) }],
    async run(input, context) {
      const target = targetOf(input.path, context);
      if (!target.ok) return target.error;
      const stat = statSync(target.value, { throwIfNoEntry: false });
      if (stat?.isDirectory()) return viewFolder(target.value, context);
      if (stat) return viewFile(target.value, input, parts, context);
      const unsaved = await parts.files?.read?.(target.value);
      if (unsaved === undefined) return failure("not_found", `${input.path} does not exist.`);
      return viewText(target.value, input, Buffer.from(unsaved), parts, context);
    },
  });
}

async function viewFile(path: string, input: Input, parts: ViewParts, context: ToolContext): Promise<ToolOutcome> {
  const opened = openRegular(path);
  if (!opened.ok) return failure(opened.error.code === "not_found" ? "not_found" : "failed", opened.error.message);
  const { fd, size } = opened.value;
  const files = [{ path, operation: "view" as const }];
  try {
    const start = readAt(fd, 0, 8192);
    const mediaType = imageType(start);
    if (mediaType) {
      if (!parts.images()) return failure("failed", `${path} is an image (${mediaType}), which this model cannot see.`);
      if (size > IMAGE_BYTES)
        return failure("too_large", `${path} has ${size} bytes; images up to ${IMAGE_BYTES} can be shown.`);
      // A copy in the session: what the model saw stays what it is sent, whatever becomes of the file.
      const file = await spillBytes(join(context.sessionDir, "files"), readAt(fd, 0, size), endingOf(mediaType));
      if (!file.ok) return failure("failed", file.error.what);
      return success(`Image ${shownPath(path, context.cwd)}, ${mediaType}, ${file.value.bytes} bytes.`, {
        files,
        attachments: [{ kind: "image", path: file.value.path, mediaType, bytes: file.value.bytes }],
      });
    }
    if (looksBinary(start))
      return failure("failed", `${path} is binary (${size} bytes). Look at it with bash (file, xxd, strings).`);
    if (size > WHOLE_BYTES) return await viewText(path, input, chunksOf(fd), parts, context);
    const unsaved = await parts.files?.read?.(path);
    const whole = unsaved === undefined ? readAt(fd, 0, size) : Buffer.from(unsaved);
    return await viewText(path, input, whole, parts, context);
  } finally {
    closeSync(fd);
  }
}

/** `source`: the whole text, or its pieces where it is too long to be held. */
async function viewText(
  path: string,
  input: Input,
  source: Buffer | ReturnType<typeof chunksOf>,
  parts: ViewParts,
  context: ToolContext,
): Promise<ToolOutcome> {
  const [from = 1, last = -1] = input.view_range ?? [];
  if (from < 1 || (last !== -1 && last < from)) {
    return failure(
      "invalid_inputs",
      '"view_range": first must be at least 1, and last not before first (-1 = to the end).',
    );
  }
  const whole = Buffer.isBuffer(source) ? source : undefined;
  const files = [{ path, operation: "view" as const }];
  const read = await readLines(Buffer.isBuffer(source) ? [source] : source, {
    from,
    to: last === -1 ? Number.POSITIVE_INFINITY : last,
    maxBytes: parts.settings.outputMaxBytes - FRAME_BYTES,
    render: (line, number) => `${number}\t${line}`,
    toTheEnd: whole !== undefined,
    signal: context.signal,
  });
  if (whole) parts.ledger.saw(path, whole);
  if (whole?.length === 0) return success("(empty file)", { files });
  if (read.lines.length === 0 && read.next === undefined) {
    return failure("invalid_inputs", `"view_range": ${path} has only ${read.count} lines.`);
  }
  const total = read.ended ? ` of ${read.count}` : "";
  const more =
    read.next === undefined
      ? ""
      : `\n[… up to line ${read.next - 1}${total}; go on with view_range [${read.next}, ${last}]]`;
  return success(`${read.lines.join("\n")}${more}`, { files });
}

function viewFolder(path: string, context: ToolContext): ToolOutcome {
  const lines: string[] = [];
  const add = (folder: string, indent: string, deeper: boolean) => {
    for (const entry of entriesOf(folder)) {
      if (typeof entry === "string") {
        lines.push(`${indent}(${entry})`);
        continue;
      }
      const isFolder = entry.isDirectory();
      lines.push(`${indent}${entry.name}${isFolder ? "/" : entry.isSymbolicLink() ? "@" : ""}`);
      if (isFolder && deeper && !SKIPPED.has(entry.name)) add(join(folder, entry.name), `${indent}  `, false);
    }
  };
  add(path, "", true);
  const more = lines.length - FOLDER_ENTRIES;
  const shown =
    more > 0 ? [...lines.slice(0, FOLDER_ENTRIES), `[… ${more} more entries; view a subfolder, or use glob]`] : lines;
  return success(`${shownPath(path, context.cwd)}/\n${shown.join("\n") || "(empty folder)"}`, {
    files: [{ path, operation: "view" }],
  });
}

function entriesOf(folder: string): (Dirent | string)[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    return [errorText(error)];
  }
}
