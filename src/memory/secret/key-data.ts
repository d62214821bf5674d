// Keys written as data: the private members of a JWK, and the bytes of a key as a list of numbers.
import { classOfName } from "./name.ts";
import type { SecretSpan } from "./span.ts";

const REACH = 8000;
const MEMBER = /(?<![\w-])(?:dp|dq|qi|[dpqk])\\*["']?\s{0,20}:\s{0,20}\\*["']?(?<v>[A-Za-z0-9_-]{16,4000})/dg;

/** The object around `kty`, or where there are no braces the lines beside it. */
function around(text: string, at: number): [start: number, end: number] {
  const before = text.slice(Math.max(0, at - REACH), at);
  const after = text.slice(at, at + REACH);
  const open = before.lastIndexOf("{");
  const close = after.indexOf("}");
  if (open !== -1 && close !== -1 && !before.slice(open).includes("}")) return [at - before.length + open, at + close];
  const blank = before.lastIndexOf("\n\n");
  const end = after.indexOf("\n\n");
  return [blank === -1 ? at - before.length : at - before.length + blank, end === -1 ? at + after.length : at + end];
}

function findJwks(text: string, out: SecretSpan[]): void {
  let next = 0;
  for (let at = text.indexOf("kty"); at !== -1; at = text.indexOf("kty", Math.max(at + 3, next))) {
    const [start, end] = around(text, at);
    next = end;
    for (const match of text.slice(start, end).matchAll(MEMBER)) {
      const place = match.indices?.groups?.["v"];
      if (place) out.push({ kind: "jwk", start: start + place[0], end: start + place[1] });
    }
  }
}

const NUMBER = "(?:0x[0-9a-fA-F]{1,2}|\\d{1,3})";
const LIST = new RegExp(`[[{]\\s{0,40}(${NUMBER}(?:\\s{0,40},\\s{0,40}${NUMBER}){15,127}),?\\s{0,40}[\\]}]`, "dg");
/** Lengths of keys in bytes: AES, the seeds and pairs of Ed25519 and secp256k1, HMAC. */
const LENGTHS = new Set([16, 24, 32, 48, 64]);
const KEYLIKE = /seed|key_?pair|mnemonic|entropy/i;

function isKeyMaterial(list: string): boolean {
  const values = list.split(",").map((number) => Number(number.trim()));
  if (!LENGTHS.has(values.length) || values.some((value) => !(value <= 255))) return false;
  const steps = new Set(values.slice(1).map((value, i) => value - (values[i] ?? 0)));
  return new Set(values).size > values.length / 3 && steps.size > values.length / 4;
}

/** The words of the statement around the list tell; a file that is nothing but 64 bytes is a key pair of Solana. */
function isNamedKey(text: string, start: number, end: number): boolean {
  const encoding =
    text
      .slice(Math.max(0, start - 100), start)
      .split(/[;,\n{}]/)
      .at(-1) ?? "";
  const names = encoding.match(/[A-Za-z_$][\w$-]*/g) ?? [];
  if (names.some((name) => /pub/i.test(name))) return false;
  if (names.some((name) => KEYLIKE.test(name) || classOfName(name) !== undefined)) return true;
  return text.slice(0, start).trim() === "" && text.slice(end).trim() === "" && text.split(",", 65).length === 64;
}

function findByteLists(text: string, out: SecretSpan[]): void {
  for (const match of text.matchAll(LIST)) {
    const end = match.index + match[0].length;
    const list = match.indices?.[1];
    if (list && isKeyMaterial(match[1] ?? "") && isNamedKey(text, match.index, end))
      out.push({ kind: "key-bytes", start: list[0], end: list[1] });
  }
}

export function findKeyData(text: string, out: SecretSpan[]): void {
  findJwks(text, out);
  findByteLists(text, out);
}
