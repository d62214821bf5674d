// Finding one's way in JSON by its bytes: where values, members and elements stand. Strings are skipped, nothing is built.
import { parseJson } from "../../base/json.ts";
import type { ByteSpan } from "../contract.ts";

/** What may still be met: levels below here, and commas and brackets, of which there are never fewer than members. */
type Allowance = { depth: number; members: number };
const unbounded = (): Allowance => ({ depth: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY });

/**
 * Everything here takes any bytes: of what is not JSON it says `undefined`, or where a value could have ended.
 * So whoever has not parsed the bytes must still do so before believing it.
 */
type BytePosition = number | undefined;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
export const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

export function skipSpace(bytes: Buffer, at: number): number {
  let i = at;
  while (isSpace(bytes[i])) i++;
  return i;
}

/** Up to here a loop is faster than a call. */
const NEAR = 24;

/** The place after the string that opens at `at`. */
function skipString(bytes: Buffer, at: number): BytePosition {
  let i = at + 1;
  for (;;) {
    const near = Math.min(i + NEAR, bytes.length);
    while (i < near) {
      const byte = bytes[i];
      if (byte === QUOTE) return i + 1;
      i += byte === BACKSLASH ? 2 : 1;
    }
    const quote = bytes.indexOf(QUOTE, i);
    if (quote < 0) return undefined;
    let before = quote;
    while (bytes[before - 1] === BACKSLASH) before--;
    i = quote + 1;
    if ((quote - before) % 2 === 0) return i;
  }
}

/** The place after the value that starts at `at`. */
export function skipValue(bytes: Buffer, at: number, allowed: Allowance): BytePosition {
  const first = bytes[at];
  if (first === QUOTE) return skipString(bytes, at);
  return first === OPEN_OBJECT || first === OPEN_LIST ? skipContainer(bytes, at, allowed) : skipScalar(bytes, at);
}

function skipScalar(bytes: Buffer, at: number): BytePosition {
  let i = at;
  for (; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT || isSpace(byte)) break;
  }
  return i === at ? undefined : i;
}

function skipContainer(bytes: Buffer, at: number, allowed: Allowance): BytePosition {
  let depth = 0;
  let members = allowed.members;
  for (let i = at; i < bytes.length; ) {
    switch (bytes[i]) {
      case QUOTE: {
        const end = skipString(bytes, i);
        if (end === undefined) return undefined;
        i = end;
        continue;
      }
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > allowed.depth || --members < 0) return undefined;
        break;
      case COMMA:
        if (--members < 0) return undefined;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        if (--depth === 0) {
          allowed.members = members;
          return i + 1;
        }
    }
    i++;
  }
  return undefined;
}

/** The spans of a list's elements, and the place after it; `see` is told what may still be met after each. */
export function elementsOf(
  bytes: Buffer,
  at: number,
  allowed = unbounded(),
  see: (inside: Allowance) => void = () => undefined,
): { elements: ByteSpan[]; end: number } | undefined {
  const elements: ByteSpan[] = [];
  const end = eachChild(bytes, at, OPEN_LIST, CLOSE_LIST, allowed, (start, inside) => {
    const valueEnd = skipValue(bytes, start, inside);
    if (valueEnd !== undefined) elements.push({ start, end: valueEnd });
    see(inside);
    return valueEnd;
  });
  return end === undefined ? undefined : { elements, end };
}

/**
 * The members of an object in their order, doubled ones too, and the place after it. `skip` may look into a value itself.
 */
export function membersOf(
  bytes: Buffer,
  at: number,
  allowed = unbounded(),
  skip: (key: string, start: number, inside: Allowance) => BytePosition = (_key, start, inside) =>
    skipValue(bytes, start, inside),
): { members: Member[]; end: number } | undefined {
  const members: Member[] = [];
  const end = eachChild(bytes, at, OPEN_OBJECT, CLOSE_OBJECT, allowed, (start, inside) => {
    const member = memberAt(bytes, start, (key, value) => skip(key, value, inside));
    if (member) members.push(member);
    return member?.value.end;
  });
  return end === undefined ? undefined : { members, end };
}

type Member = { key: string; value: ByteSpan };

/** The member whose name opens at `at`. */
export function memberAt(
  bytes: Buffer,
  at: number,
  skip: (key: string, start: number) => BytePosition,
): Member | undefined {
  const keyEnd = bytes[at] === QUOTE ? skipString(bytes, at) : undefined;
  if (keyEnd === undefined) return undefined;
  const colon = skipSpace(bytes, keyEnd);
  const key = keyText(bytes, at, keyEnd);
  if (bytes[colon] !== COLON || key === undefined) return undefined;
  const start = skipSpace(bytes, colon + 1);
  const end = skip(key, start);
  return end === undefined ? undefined : { key, value: { start, end } };
}

function keyText(bytes: Buffer, start: number, end: number): string | undefined {
  const text = bytes.toString("utf8", start + 1, end - 1);
  if (!text.includes("\\")) return text;
  const parsed = parseJson(`"${text}"`);
  return parsed.ok && typeof parsed.value === "string" ? parsed.value : undefined;
}

/** Goes through a container's children; `child` gives the place after the one at `start`. */
function eachChild(
  bytes: Buffer,
  at: number,
  open: number,
  close: number,
  allowed: Allowance,
  child: (start: number, inside: Allowance) => BytePosition,
): BytePosition {
  if (bytes[at] !== open || allowed.depth < 1 || allowed.members < 1) return undefined;
  const inside = { depth: allowed.depth - 1, members: allowed.members - 1 };
  const first = skipSpace(bytes, at + 1);
  const behind = bytes[first] === close ? undefined : child(first, inside);
  const end = bytes[first] === close ? first + 1 : behind && eachNext(bytes, behind, close, inside, child);
  if (end !== undefined) allowed.members = inside.members;
  return end;
}

/** The same for the children behind one of them: `at` is the place after it. Gives the place after the container. */
export function eachNext(
  bytes: Buffer,
  at: number,
  close: number,
  inside: Allowance,
  child: (start: number, inside: Allowance) => BytePosition,
): BytePosition {
  let i = skipSpace(bytes, at);
  while (bytes[i] !== close) {
    if (bytes[i] !== COMMA || --inside.members < 0) return undefined;
    const end = child(skipSpace(bytes, i + 1), inside);
    if (end === undefined) return undefined;
    i = skipSpace(bytes, end);
  }
  return i + 1;
}
