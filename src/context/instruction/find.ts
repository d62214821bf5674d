// Instruction files: from home, then from root down to the working folder; one real path or equal text counts once.
import { closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { stripInvisible } from "../../base/text.ts";

export type InstructionFile = { path: string; text: string; invisible: number; bytes: number };

const NAMES = ["AGENTS.md", "CLAUDE.md", join(".claude", "CLAUDE.md")];
/** More than any bound could use; the rest of a larger file is never read. */
const READ_LIMIT = 512 * 1024;

export function findInstructions(where: { home: string; root: string; cwd: string }): InstructionFile[] {
  const candidates = [join(where.home, "AGENTS.md"), join(where.root, ".github", "copilot-instructions.md")];
  for (const folder of foldersBetween(where.root, where.cwd))
    for (const name of NAMES) candidates.push(join(folder, name));
  const seen = new Set<string>();
  const found: InstructionFile[] = [];
  for (const path of candidates) {
    const file = readInstruction(path);
    if (!file || file.text.trim() === "" || seen.has(file.real) || seen.has(file.text)) continue;
    seen.add(file.real).add(file.text);
    found.push({ path, text: file.text, invisible: file.invisible, bytes: file.bytes });
  }
  return found;
}

function foldersBetween(root: string, cwd: string): string[] {
  const way = relative(root, cwd);
  if (way.startsWith("..")) return [cwd];
  const folders = [root];
  for (const name of way.split(sep).filter(Boolean)) folders.push(join(folders.at(-1) ?? root, name));
  return folders;
}

function readInstruction(path: string): (Omit<InstructionFile, "path"> & { real: string }) | undefined {
  try {
    const real = realpathSync(path);
    const stat = statSync(real);
    if (!stat.isFile()) return undefined;
    const buffer = Buffer.alloc(Math.min(stat.size, READ_LIMIT));
    const fd = openSync(real, "r");
    const length = readSync(fd, buffer, 0, buffer.length, 0);
    closeSync(fd);
    const { text, removed } = stripInvisible(buffer.toString("utf8", 0, length));
    return { real, text, invisible: removed, bytes: stat.size };
  } catch {
    return undefined; // absent, a loop of symlinks, or not readable: there is no instruction to follow
  }
}
