// Attached images and documents as file parts, or as a note when they cannot be sent.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from "@ai-sdk/provider";
import { errorText } from "../base/failure.ts";
import type { Attachment } from "../schema/message.ts";
import type { CatalogEntry } from "../schema/model.ts";

export type AttachmentPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

type Loaded = { mediaType: string; data: Uint8Array } | { reason: string };

// History is only appended to: an attachment keeps the bytes of its first reading though the file may change.
const loaded = new WeakMap<Attachment, Promise<Loaded>>();

export async function attachmentParts(
  attachments: readonly Attachment[],
  supports: CatalogEntry["supports"],
): Promise<AttachmentPart[]> {
  // The text of a plain file is in the message already.
  const shown = attachments.filter((attachment) => attachment.kind !== "file");
  return Promise.all(shown.map((attachment) => attachmentPart(attachment, supports)));
}

async function attachmentPart(attachment: Attachment, supports: CatalogEntry["supports"]): Promise<AttachmentPart> {
  const { kind, path } = attachment;
  const note = (reason: string): AttachmentPart => ({
    type: "text",
    text: `[${kind} ${path} is not shown: ${reason}]`,
  });
  if (!(kind === "image" ? supports.images : supports.documents)) return note(`this model takes no ${kind}s`);
  const reading = loaded.get(attachment) ?? load(attachment);
  loaded.set(attachment, reading);
  const result = await reading;
  if ("reason" in result) return note(result.reason);
  const data = { type: "data", data: result.data } as const;
  return { type: "file", filename: basename(path), mediaType: result.mediaType, data };
}

async function load({ kind, path }: Attachment): Promise<Loaded> {
  try {
    const data = await readFile(path);
    const signature = SIGNATURES.find(
      (one) => one.kind === kind && one.start.test(data.subarray(0, 16).toString("latin1")),
    );
    return signature ? { mediaType: signature.mediaType, data } : { reason: "its format is not one that models take" };
  } catch (error) {
    return { reason: errorText(error) };
  }
}

/** The content tells the type: providers refuse bytes that are not what the name says. */
const SIGNATURES = [
  { kind: "image", mediaType: "image/png", start: /^\x89PNG/ },
  { kind: "image", mediaType: "image/jpeg", start: /^\xff\xd8\xff/ },
  { kind: "image", mediaType: "image/gif", start: /^GIF8/ },
  { kind: "image", mediaType: "image/webp", start: /^RIFF....WEBP/s },
  { kind: "document", mediaType: "application/pdf", start: /^%PDF/ },
] as const;
