// Instruction files: from home, then from root down to the working folder; one real path or equal text counts once.
import { closeSync, existsSync, readSync } from "node:fs";
import { join } from "node:path";
import { stripInvisible } from "../../base/text.ts";
import { openRegular } from "../../host/files.ts";
import { foldersDownTo, isInside } from "../../host/paths.ts";
import { realPath } from "../../permission/path.ts";

type InstructionFile = { path: string; text: string; invisible: number; bytes: number };

export type FoundInstructions = {
  files: InstructionFile[];
  /** Links of the project that lead out of it: whatever is there is not the project's to show. */
  outside: string[];
};

const NAMES = ["AGENTS.md", "CLAUDE.md", join(".claude", "CLAUDE.md")];
/** More than any bound could use; the rest of a larger file is never read. */
const READ_LIMIT = 512 * 1024;

export function findInstructions(where: { home: string; root: string; cwd: string }): FoundInstructions {
  const [root, cwd] = [where.root, where.cwd].map((folder) => realPath(folder, "/") ?? folder) as [string, string];
  // A linked folder of the project leads out of it like a linked file does.
  const bounds = isInside(where.cwd, where.root) || isInside(cwd, root) ? root : cwd;
  const project = [join(where.root, ".github", "copilot-instructions.md")];
  const folders = isInside(where.cwd, where.root) ? foldersDownTo(where.cwd, where.root) : [where.cwd];
  for (const folder of folders) for (const name of NAMES) project.push(join(folder, name));
  const seen = new Set<string>();
  const files: InstructionFile[] = [];
  const outside: string[] = [];
  for (const path of [join(where.home, "AGENTS.md"), ...project]) {
    const real = realPath(path, "/");
    if (real === undefined || seen.has(real)) continue;
    seen.add(real);
    if (project.includes(path) && !isInside(real, bounds)) {
      if (existsSync(real)) outside.push(path);
      continue;
    }
    const file = readStart(real);
    if (!file || file.text.trim() === "" || seen.has(file.text)) continue;
    seen.add(file.text);
    files.push({ path, ...file });
  }
  return { files, outside };
}

/** Undefined when there is no regular file that can be read: then there is no instruction to follow. */
function readStart(real: string): Omit<InstructionFile, "path"> | undefined {
  const opened = openRegular(real);
  if (!opened.ok) return undefined;
  const { fd, size } = opened.value;
  try {
    const buffer = Buffer.alloc(Math.min(size, READ_LIMIT));
    const { text, removed } = stripInvisible(buffer.toString("utf8", 0, readSync(fd, buffer, 0, buffer.length, 0)));
    return { text, invisible: removed, bytes: size };
  } catch {
    return undefined; // the disk cannot give it
  } finally {
    closeSync(fd);
  }
}
