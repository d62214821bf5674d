// What the model last saw of each file, so that an edit never lands on something it does not know.
import { createHash } from "node:crypto";

export type Ledger = {
  /** The model now knows these bytes as the file's content. Paths are real paths. */
  saw: (path: string, bytes: Uint8Array) => void;
  /** False when the model saw the file and it has changed since. A file never seen is not stale. */
  isCurrent: (path: string, bytes: Uint8Array) => boolean;
};

export function createLedger(): Ledger {
  const seen = new Map<string, string>();
  return {
    saw: (path, bytes) => void seen.set(path, digest(bytes)),
    isCurrent: (path, bytes) => {
      const lastSeen = seen.get(path);
      return lastSeen === undefined || lastSeen === digest(bytes);
    },
  };
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64");
}
