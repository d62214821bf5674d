// What a tool's result is for the model: text joined, images where it sees them, other bytes as files of the session.
import { join } from "node:path";
import { isRecord } from "../base/json.ts";
import { clip } from "../base/text.ts";
import type { Attachment } from "../schema/message.ts";
import { spillBytes } from "../store/spill.ts";
import { failure, success, type ToolContext, type ToolOutcome } from "../tool/contract.ts";
import { imageType } from "../tool/media.ts";
import type { CallResult, ContentPart } from "./connection.ts";

type ResultParts = Pick<ToolContext, "sessionDir" | "takesImages">;

const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const MAX_IMAGES = 20;
const EMPTY = "(no output)";

type Piece = { text: string; attachment?: Attachment };

/** `source` names server and tool in an error. */
export async function outcomeOf(result: CallResult, source: string, parts: ResultParts): Promise<ToolOutcome> {
  const pieces: Piece[] = [];
  for (const part of result.content) {
    const images = pieces.filter((piece) => piece.attachment).length;
    pieces.push(await pieceOf(part, parts, images < MAX_IMAGES));
  }
  const isWordless = !result.content.some(({ type }) => type === "text");
  if (isWordless && result.structuredContent !== undefined)
    pieces.unshift({ text: JSON.stringify(result.structuredContent) });
  const text = pieces.map((piece) => piece.text).join("\n");
  if (result.isError) return failure("failed", text.trim() === "" ? `${source} failed and gave no reason.` : text);
  const attachments = pieces.flatMap(({ attachment }) => attachment ?? []);
  return success(text === "" ? EMPTY : text, attachments.length > 0 ? { attachments } : {});
}

async function pieceOf(part: ContentPart, parts: ResultParts, mayAttach: boolean): Promise<Piece> {
  switch (part.type) {
    case "text":
      return { text: textIn(part, "text") };
    case "image":
    case "audio":
      return bytesPiece(textIn(part, "data"), textIn(part, "mimeType"), part.type, parts, mayAttach);
    case "resource_link":
      return { text: `[resource ${textIn(part, "uri")}: ${textIn(part, "name")}]` };
    case "resource": {
      const resource: Record<string, unknown> = isRecord(part["resource"]) ? part["resource"] : {};
      const uri = textIn(resource, "uri");
      if (typeof resource["text"] === "string") return { text: `[resource ${uri}]\n${resource["text"]}` };
      const what = `resource ${clip(uri, 200)}`;
      return bytesPiece(textIn(resource, "blob"), textIn(resource, "mimeType"), what, parts, mayAttach);
    }
    default:
      return { text: `[content of type ${clip(part.type, 40)}, which cannot be shown]` };
  }
}

/** What the bytes are is told by the bytes: a server may call anything an image. */
async function bytesPiece(
  base64: string,
  claimed: string,
  what: string,
  { sessionDir, takesImages }: ResultParts,
  mayAttach: boolean,
): Promise<Piece> {
  const bytes = Buffer.from(base64, "base64");
  const image = imageType(bytes);
  const mediaType = image ?? claimed;
  const ending = /^\w+\/([a-z0-9]{1,10})$/.exec(mediaType)?.[1] ?? "bin";
  const file = await spillBytes(join(sessionDir, "files"), bytes, `.${ending}`);
  const label = `[${what}, ${clip(mediaType, 60) || "unknown type"}, ${bytes.length} bytes`;
  if (!file.ok) return { text: `${label}; it could not be saved: ${file.error.what}]` };
  const { path } = file.value;
  if (image === undefined || !mayAttach || !takesImages || bytes.length > MAX_IMAGE_BYTES)
    return { text: `${label}; saved as ${path}]` };
  return { text: `${label}]`, attachment: { kind: "image", path, mediaType: image, bytes: bytes.length } };
}

const textIn = (record: Record<string, unknown>, key: string): string =>
  typeof record[key] === "string" ? record[key] : "";
