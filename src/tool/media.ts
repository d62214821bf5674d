// Images told by their first bytes.
const SIGNATURES: [mediaType: string, at: number, bytes: string][] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
];

export function imageType(start: Buffer): string | undefined {
  return SIGNATURES.find(([, at, bytes]) =>
    start.subarray(at, at + bytes.length).equals(Buffer.from(bytes, "latin1")),
  )?.[0];
}
