// What is attached to a prompt: texts, whole when short, else a preview and the path of the file that holds all of it; images.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { FailureError } from "../../base/failure.ts";
import { escapeTags, inTag } from "../../base/tag.ts";
import { cutAt } from "../../base/text.ts";
import type { Attachment } from "../../schema/message.ts";
import { atomicWrite } from "../../store/atomic-write.ts";
import { spillBytes } from "../../store/spill.ts";
import type { EnclosedImage } from "../client/enclosure.ts";

const PREVIEW = 4096;

/** `maxBytes`: a longer text is shown by a preview. `uri`: where it comes from, if not from stdin. */
export async function attachText(sessionDir: string, text: string, maxBytes: number, uri?: string): Promise<string> {
  const tag = uri === undefined ? "stdin" : "attached_resource";
  const attributes = uri === undefined ? {} : { uri };
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return inTag(tag, escapeTags(text), attributes);
  const name = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const path = join(sessionDir, "files", `${uri === undefined ? "stdin" : "attached"}-${name}.txt`);
  const written = await atomicWrite(path, text, { private: true });
  if (!written.ok) throw new FailureError(written.error);
  const preview = escapeTags(cutAt(text, PREVIEW));
  return inTag(tag, `${preview}\n[preview of ${bytes} bytes; all of it is in ${path}]`, attributes);
}

/** Copies in the session's folder. */
export async function keepImages(sessionDir: string, images: readonly EnclosedImage[]): Promise<Attachment[]> {
  const attachments: Attachment[] = [];
  for (const { data, mediaType } of images) {
    const ending = /^image\/([a-z0-9.+-]{1,20})$/.exec(mediaType)?.[1] ?? "image";
    const file = await spillBytes(join(sessionDir, "files"), Buffer.from(data), `.${ending}`);
    if (!file.ok) throw new FailureError(file.error);
    attachments.push({ kind: "image", path: file.value.path, mediaType, bytes: file.value.bytes });
  }
  return attachments;
}
