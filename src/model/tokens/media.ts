// What images, documents and other bytes cost, without ever counting their base64 as text.
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

/** Width and height from the header of a PNG, GIF, JPEG or WebP. */
function imageSize(bytes: Buffer): Size | undefined {
  const size = pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

const text = (bytes: Buffer, from: number, to: number): string => bytes.toString("latin1", from, to);

function pngSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 24 || text(bytes, 1, 4) !== "PNG") return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 10 || text(bytes, 0, 4) !== "GIF8") return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30 || text(bytes, 8, 12) !== "WEBP") return undefined;
  switch (text(bytes, 12, 16)) {
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** The first start-of-frame segment holds the size; the others are stepped over. */
function jpegSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const startOfFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (startOfFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
