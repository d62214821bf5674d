// N18: keys as data, phrases of several words, nested JSON, every Slack prefix, short JWTs; and what looks like them and is none.
import { describe, expect, it } from "vitest";
import { scan } from "./scan.ts";

const text43 = "Tq3vN8xK1mZp0RwYb7LdFh2JsGc9EaUiXoPtVkQnWyz";
const long = (n: number): string => Array.from({ length: n }, (_, i) => text43[(i * i * 31 + i * 7) % 43]).join("");
const bytes = (n: number): number[] => Array.from({ length: n }, (_, i) => (((i + 3) ** 3 * 7919) >>> 3) % 256);
const hexes = (n: number): string =>
  bytes(n)
    .map((b) => `0x${b.toString(16).padStart(2, "0")}`)
    .join(", ");
const jwk = { kty: "EC", crv: "P-256", x: long(43), y: `${long(42)}Q`, d: `d${long(42)}` };
const { d: _private, ...publicPart } = jwk;
const nested = (value: unknown, depth: number): string =>
  depth === 0 ? JSON.stringify(value) : JSON.stringify({ body: nested(value, depth - 1) });

const found = (text: string): string[] => scan(text).map(({ start, end }) => text.slice(start, end));

describe("N18 P31 M128 M129 is found", () => {
  const cases: [string, string, string][] = [
    ["YAML without quotes", "db_password: Winter2024x", "Winter2024x"],
    ["YAML, a plain word", "db:\n  db_password: correcthorse\n  port: 5432\n", "correcthorse"],
    ["YAML in a document with code", "const a = 1;\n```yaml\ndb_password: swordfish99\n```\n", "swordfish99"],
    ["a phrase in quotes", 'passphrase: "correct horse battery staple"', "correct horse battery staple"],
    ["a phrase without quotes", "passphrase: correct horse battery staple\nuser: x", "correct horse battery staple"],
    ["a phrase in code", 'const sshPassphrase = "kitten mittens 42";', "kitten mittens 42"],
    ["JSON in JSON", nested({ password: "hunter2x9" }, 1), "hunter2x9"],
    ["JSON in JSON in JSON", nested({ db_password: "hunter2x9", port: 1 }, 3), "hunter2x9"],
    ["a phrase in nested JSON", nested({ passphrase: "correct horse battery" }, 2), "correct horse battery"],
    ["YAML in JSON", JSON.stringify({ file: "db_password: hunter2x9\nport: 1" }), "hunter2x9"],
    ["a JWK", JSON.stringify(jwk), jwk.d],
    ["a JWK over lines", JSON.stringify(jwk, null, 2), jwk.d],
    ["a JWK with the key first", JSON.stringify({ d: jwk.d, ...publicPart }), jwk.d],
    ["a JWK in a JSON string", nested(jwk, 2), jwk.d],
    ["a JWK in YAML", `kty: oct\nalg: HS256\nk: ${long(43)}\n`, long(43)],
    ["a JWK in JavaScript", `{ kty: 'oct', k: '${long(43)}' }`, long(43)],
    ["bytes by name", `secretKey = [${bytes(64)}]`, String(bytes(64))],
    ["bytes in JSON over lines", JSON.stringify({ private_key: bytes(32) }, null, 2), bytes(32).join(",\n    ")],
    ["bytes in a typed array", `const key = new Uint8Array([${bytes(32).join(", ")}]);`, bytes(32).join(", ")],
    ["bytes in Go", `var seed = []byte{${hexes(32)}}`, hexes(32)],
    ["a Solana key file", `[${bytes(64)}]\n`, String(bytes(64))],
    ["a JWT with an empty body", "eyJhbGciOiJIUzI1NiJ9.e30.abc", "eyJhbGciOiJIUzI1NiJ9.e30.abc"],
    ["a JWT without a signature", "x=eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJub25lIn0.e30."],
    ["a JWT with the shortest head", "eyJhIjoxfQ.e30.x", "eyJhIjoxfQ.e30.x"],
  ];
  it.each(cases)("N18 %s", (_, text, secret) => {
    const spans = found(text);
    expect(spans.some((one) => one.includes(secret))).toBe(true);
  });

  it("N18 every private member of an RSA key, and none of the public ones", () => {
    const members = Object.fromEntries(["d", "p", "q", "dp", "dq", "qi"].map((name) => [name, `${name}${long(170)}`]));
    const text = JSON.stringify({ kty: "RSA", n: `n${long(340)}`, e: "AQAB", kid: "2024-01-key", ...members });
    expect(found(text)).toEqual(Object.values(members));
  });

  it("N18 every xox?- prefix", () => {
    for (const letter of "abcdefghijklmnopqrstuvwxyz") {
      const token = `xox${letter}-123456789012-${long(24)}`;
      expect(found(`SLACK ${token}, more`)).toEqual([token]);
    }
  });
});

describe("N18 M130 is left alone", () => {
  it.each([
    'passphrase: "Enter a passphrase"',
    'passphrase: "Passphrase for the key"',
    "passphrase: used to unlock the key",
    "passphrase: string",
    "passphrase: required",
    "Passphrase: the words that protect a private key.",
    "const { passphrase } = options;",
    "interface Db {\n  db_password: string;\n  port: number;\n}",
    "const config = {\n  db_password: dbPassword,\n  port,\n};",
    "```ts\nconst o = { db_password: input1 }\n```",
    JSON.stringify({ kty: "RSA", n: long(342), e: "AQAB", kid: "2024-01-key" }),
    JSON.stringify({ keys: [{ kty: "EC", crv: "P-256", x: long(43), y: long(43), use: "sig" }] }),
    `kty: EC\ncrv: P-256\n\nd: ${"a-plain-word-of-many-letters"}`,
    `const sbox = [${bytes(64)}];`,
    `pixels: [${bytes(32)}]`,
    `publicKey = new Uint8Array([${bytes(32)}])`,
    `const testKey = [${Array.from({ length: 32 }, (_, i) => i)}];`,
    `key: [${Array.from({ length: 32 }, () => 0)}]`,
    `monkey = [${bytes(31)}]`,
    "eyJhbGci.foo.bar",
    "the word xox- and xoxb- alone, or xoxo-love-and-kisses",
  ])("N18 %j", (text) => {
    expect(found(text)).toEqual([]);
  });
});
