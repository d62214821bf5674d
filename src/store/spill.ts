// What is too long for a log line, or must not change with its source, kept in a file named by its content.
import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { ok, type Result } from "../base/result.ts";
import { atomicWrite } from "./atomic-write.ts";
import type { Fault } from "./fault.ts";

export type Spilled = { sha256: string; bytes: number; path: string };

/** Writes the text once; equal text is the same file. The record that points to it is appended only after this. */
export function spillText(folder: string, text: string): Promise<Result<Spilled, Fault>> {
  return spillBytes(folder, Buffer.from(text));
}

/** The same for bytes of a kind that the ending of the name tells. */
export async function spillBytes(folder: string, data: Buffer, ending = ""): Promise<Result<Spilled, Fault>> {
  const sha256 = createHash("sha256").update(data).digest("hex");
  const spilled: Spilled = { sha256, bytes: data.length, path: join(folder, sha256 + ending) };
  const there = await lstat(spilled.path).catch(() => undefined); // missing: written below, which reports any trouble
  if (there?.isFile() && there.size === data.length) return ok(spilled);
  const written = await atomicWrite(spilled.path, data, { private: true });
  return written.ok ? ok(spilled) : written;
}
