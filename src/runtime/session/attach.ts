// Text attached to a prompt: whole when short, else a preview and the path of the file that holds all of it.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { FailureError } from "../../base/failure.ts";
import { escapeTags, inTag } from "../../base/tag.ts";
import { cutAt } from "../../base/text.ts";
import { atomicWrite } from "../../store/atomic-write.ts";

const PREVIEW = 4096;

/** `maxBytes`: a longer text is shown by a preview. */
export async function attachText(sessionDir: string, text: string, maxBytes: number): Promise<string> {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return inTag("stdin", escapeTags(text));
  const name = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const path = join(sessionDir, "files", `stdin-${name}.txt`);
  const written = await atomicWrite(path, text, { private: true });
  if (!written.ok) throw new FailureError(written.error);
  const preview = escapeTags(cutAt(text, PREVIEW));
  return inTag("stdin", `${preview}\n[preview of ${bytes} bytes; all of it is in ${path}]`);
}
