// The kept copy of a remote catalogue: its text with its tag, by the address it came from.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../../base/json.ts";
import { atomicWrite } from "../../store/atomic-write.ts";

const remoteCopy = z.object({
  version: z.literal(1),
  url: z.string(),
  etag: z.string().optional(),
  at: z.iso.datetime(),
  text: z.string(),
});
export type RemoteCopy = z.infer<typeof remoteCopy>;

const fileOf = (folder: string, url: string): string =>
  join(folder, `${createHash("sha256").update(url).digest("hex").slice(0, 32)}.json`);

/** Undefined when there is none that can be used: it is then fetched again. */
export async function readCopy(folder: string, url: string): Promise<RemoteCopy | undefined> {
  const text = await readFile(fileOf(folder, url), "utf8").catch(() => undefined);
  const json = text === undefined ? undefined : parseJson(text);
  const copy = json?.ok ? remoteCopy.safeParse(json.value) : undefined;
  return copy?.success && copy.data.url === url ? copy.data : undefined;
}

/** A copy that cannot be kept is only fetched again next time. */
export async function keepCopy(folder: string, copy: RemoteCopy): Promise<void> {
  await atomicWrite(fileOf(folder, copy.url), JSON.stringify(copy), { private: true });
}
