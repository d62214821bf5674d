// Images, documents and sounds in a block of any wire.
import { isRecord } from "../../base/json.ts";
import type { WireContent } from "./contract.ts";
import { stringAt } from "./item.ts";

type Fields = Record<string, unknown>;

const MEDIA_TYPES: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    image: "image",
    image_url: "image",
    input_image: "image",
    computer_screenshot: "image",
    document: "document",
    file: "document",
    input_file: "document",
    input_audio: "audio",
  }),
);
export const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?[^,]{0,100};base64,/;

/** The media of a block; undefined when it has none. */
export function mediaOf(block: Fields): WireContent[] | undefined {
  const type = block["type"];
  if (type === undefined) {
    const inline = block["inlineData"] ?? block["inline_data"] ?? block["fileData"] ?? block["file_data"];
    return isRecord(inline) ? source(inline, "file") : undefined;
  }
  const kind = MEDIA_TYPES.get(type);
  if (kind === undefined) return undefined;
  for (const key of ["source", "image_url", "input_audio", "file"]) {
    const holder = block[key];
    if (isRecord(holder)) return source(holder, kind);
  }
  return source(block, kind);
}

function source(holder: Fields, kind: string): WireContent[] {
  const mediaType =
    stringAt(holder, "media_type") ?? stringAt(holder, "mimeType") ?? stringAt(holder, "mime_type") ?? kind;
  const { data, content } = holder;
  if (typeof data === "string") {
    return holder["type"] === "text" ? [{ type: "text", text: data }] : [media(mediaType, data, true)];
  }
  // A document may be made of blocks of its own.
  if (Array.isArray(content)) {
    return content.flatMap((one): WireContent[] =>
      isRecord(one)
        ? (mediaOf(one) ?? (typeof one["text"] === "string" ? [{ type: "text", text: one["text"] }] : []))
        : [],
    );
  }
  if (typeof content === "string") return [{ type: "text", text: content }];
  for (const key of ["url", "image_url", "file_data", "file_url", "fileUri", "file_uri", "file_id"]) {
    const address = stringAt(holder, key);
    if (address === undefined) continue;
    const encoded = DATA_URL.exec(address);
    return encoded
      ? [media(encoded[1] ?? mediaType, address.slice(encoded[0].length), true)]
      : [media(mediaType, address, false)];
  }
  return [{ type: "other", value: holder }];
}

const media = (mediaType: string, data: string, inline: boolean): WireContent => ({
  type: "media",
  mediaType,
  data,
  inline,
});
