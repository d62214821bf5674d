// Server-sent events: encoding, splitting text into pieces, and cutting a stream short.

/** What a frame carries. `open` frames come before any content; frames without a piece are structure. */
export type Piece = "open" | "reasoning" | "text" | "args";

export type Frame = { bytes: string; piece?: Piece };

export function frame(data: object, piece?: Piece, event?: string): Frame {
  const bytes = `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
  return piece === undefined ? { bytes } : { bytes, piece };
}

/** Pieces of `size` characters (about eight pieces when not given) that never split a surrogate pair. */
export function split(text: string, size = Math.max(4, Math.ceil(text.length / 8))): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + Math.max(1, size));
    if (isLowSurrogate(text.charCodeAt(end))) end += 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** The stream up to its last piece of text: what is left out are the closing events. */
export function beforeClose(frames: Frame[]): Frame[] {
  return frames.slice(0, frames.findLastIndex((sent) => sent.piece !== undefined) + 1);
}

/** The stream up to the middle of its last piece of arguments, in bytes: networks do not cut at frames. */
export function insideArgs(frames: Frame[]): Frame[] {
  const last = frames.findLastIndex((sent) => sent.piece === "args");
  const half = frames[last]?.bytes ?? "";
  return [...frames.slice(0, last), { bytes: half.slice(0, Math.floor(half.length / 2)) }];
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
