// Old bytes of files that the agent changes, kept so that a rewind can bring them back. Named by their own hash.
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { atomicWrite } from "../store/atomic-write.ts";

/** Larger files are not kept. */
const MOST_BYTES = 10 * 1024 * 1024;

export type FileSnapshots = {
  /**
   * To be called before a file is changed; `bytes` are what stands in it now. Gives the snapshot's name, or why there is
   * none. Of later changes under the same message there is none either: the first one has it.
   */
  keep(path: string, bytes: Uint8Array): Promise<{ snapshot?: string; note?: string }>;
};

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** `message` names the message that is being worked on. */
export function fileSnapshots(folder: string, message: () => string): FileSnapshots {
  const lastKept = new Map<string, string>();
  return {
    async keep(path, bytes) {
      const id = message();
      if (lastKept.get(path) === id) return {};
      if (bytes.byteLength > MOST_BYTES)
        return { note: "It is larger than 10 MB, so a rewind cannot bring its old text back." };
      const stored = await storeSnapshot(folder, bytes);
      if (stored === undefined) return { note: "Its old text could not be kept, so a rewind cannot bring it back." };
      lastKept.set(path, id);
      return { snapshot: stored };
    },
  };
}

/** Gives its name; undefined when it could not be written. */
export async function storeSnapshot(folder: string, bytes: Uint8Array): Promise<string | undefined> {
  const name = hashOf(bytes);
  const path = join(folder, name);
  if (statSync(path, { throwIfNoEntry: false })?.size === bytes.byteLength) return name;
  return (await atomicWrite(path, bytes, { private: true })).ok ? name : undefined;
}
