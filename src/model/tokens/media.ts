// What images, documents and other bytes cost, without ever counting their base64 as text.
import { GIF } from "image-size/types/gif";
import { JPG } from "image-size/types/jpg";
import { PNG } from "image-size/types/png";
import { WEBP } from "image-size/types/webp";

const UNREADABLE_IMAGE = 1_600;
const CHEAPEST_IMAGE = 85;
const PDF_PAGE = 2_000;
/** Base64 units that are decoded to find an image's size; JPEG headers may stand behind a long EXIF block. */
const HEADER_CHARS = 262_144;

type Size = { width: number; height: number };

export function imageTokens(size: Size | undefined): number {
  if (!size) return UNREADABLE_IMAGE;
  return Math.min(UNREADABLE_IMAGE, Math.max(CHEAPEST_IMAGE, Math.ceil((size.width * size.height) / 750)));
}

export const pdfTokens = (pages: number): number => PDF_PAGE * Math.max(1, pages);

export const blobTokens = (bytes: number): number => Math.ceil(bytes / 4);

/** Tokens of base64 data of a media type. */
export function mediaTokens(mediaType: string, base64: string): number {
  if (mediaType.startsWith("image/"))
    return imageTokens(imageSize(Buffer.from(base64.slice(0, HEADER_CHARS), "base64")));
  if (mediaType === "application/pdf") return pdfTokens(pdfPages(Buffer.from(base64, "base64")));
  return blobTokens(Math.floor((base64.length * 3) / 4));
}

/** Pages as the file says plainly; a file that packs its objects says nothing, then about 50 KB make a page. */
function pdfPages(bytes: Buffer): number {
  const named = bytes.toString("latin1").match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0;
  return named || Math.ceil(bytes.length / 50_000);
}

/** The formats that models take; readers of others would only be one more place for a hostile file. */
const FORMATS = [PNG, GIF, WEBP, JPG];

function imageSize(bytes: Buffer): Size | undefined {
  try {
    const size = FORMATS.find((format) => format.validate(bytes))?.calculate(bytes);
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch {
    return undefined; // the header is cut short or broken
  }
}
