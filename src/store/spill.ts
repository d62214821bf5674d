// What is too long for a log line, or must not change with its source, kept in a file named by its content.
import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { ok, type Result } from "../base/result.ts";
import { pieces } from "../base/text.ts";
import { atomicWrite } from "./atomic-write.ts";
import type { Fault } from "./fault.ts";

type Spilled = { sha256: string; bytes: number; path: string };

/** Writes the text once; equal text is the same file. The record that points to it is appended only after this. */
export function spillText(folder: string, text: string): Promise<Result<Spilled, Fault>> {
  return spill(folder, "", [...pieces(text)]);
}

/** The same for bytes of a kind that the ending of the name tells. */
export function spillBytes(folder: string, data: Buffer, ending = ""): Promise<Result<Spilled, Fault>> {
  return spill(folder, ending, [data]);
}

async function spill(
  folder: string,
  ending: string,
  parts: readonly (string | Buffer)[],
): Promise<Result<Spilled, Fault>> {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  const sha256 = hash.digest("hex");
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  const spilled: Spilled = { sha256, bytes, path: join(folder, sha256 + ending) };
  const there = await lstat(spilled.path).catch(() => undefined); // missing: written below, which reports any trouble
  if (there?.isFile() && there.size === bytes) return ok(spilled);
  const written = await atomicWrite(spilled.path, parts, { private: true });
  return written.ok ? ok(spilled) : written;
}
