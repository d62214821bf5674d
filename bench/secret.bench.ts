// The secret filter: 100 KB against compressing the same text, 1 MB against ten times 100 KB, and how hostile texts grow.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { secretRedactor } from "../src/memory/secret/filter.ts";
import { draw, sampleTokens } from "../src/memory/secret/sample-tokens-fixture.ts";
import { alternate, print, timed } from "./measure.ts";

const redactor = secretRedactor("bench");
const filter = (text: string): void => {
  if (!redactor.text(text).ok) throw new Error("the filter failed");
};

/** What a rule may stumble over when it is repeated without end. */
const HOSTILE =
  'password |password=|password="|key|token: |://a:|://a:b@|eyJ|eyJaaaaaaaa.|-----BEGIN PRIVATE KEY-----\n|0123456789abcdef|(|<password>|%41|\\u0041|\u200b|curl -u |mysql -|cookie: a=b; |QUJD|auth=("|Private-Lines: 1\n|AKIAABCDEFGHIJKLMNOP |secret is |"kty":"|{"kty":"RSA","d":"|[1,2,|passphrase: a |x as the password |password = "hunter2x9"\n'.split(
    "|",
  );

/** 200 KB of a piece against ten times 20 KB of it: a rule that grows faster than its text shows. */
async function growth(piece: string): Promise<{ piece: string; baseline: number; product: number }> {
  const of = (length: number): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  filter(of(20_000));
  const small = async () => 10 * (await timed(() => filter(of(20_000))));
  return { piece, ...(await alternate(5, small, () => timed(() => filter(of(200_000))))) };
}

export async function bench(): Promise<void> {
  const source = readdirSync("src/session")
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join("src/session", name), "utf8"))
    .join("\n");
  const text = (length: number): string => source.repeat(Math.ceil(length / source.length)).slice(-length);
  const tokens = Object.values(sampleTokens(draw(1))).join("\n");
  const full = (length: number): string => `${tokens}\n`.repeat(Math.ceil(length / tokens.length)).slice(0, length);
  for (let i = 0; i < 20; i++) filter(text(100_000)); // warm
  const against = (name: string, small: string) =>
    alternate(
      15,
      () => timed(() => gzipSync(small)),
      () => timed(() => filter(small)),
    ).then((m) => print(name, m, "<= 10 ms"));
  await against("100 KB of source", text(100_000));
  await against("100 KB of nothing but tokens", full(100_000));
  const tenTimes = async (): Promise<number> => 10 * (await timed(() => filter(text(100_000))));
  print(
    "1 MB of source against 10 x 100 KB",
    await alternate(9, tenTimes, () => timed(() => filter(text(1_000_000)))),
    "<= 1.2",
  );
  const letter = "a".repeat(1_000_000);
  print(
    "1 MB of one letter against 1 MB of source",
    await alternate(
      9,
      () => timed(() => filter(text(1_000_000))),
      () => timed(() => filter(letter)),
    ),
    "<= 1, under 50 ms",
  );
  const all = [];
  for (const piece of HOSTILE) all.push(await growth(piece));
  const worst = all.toSorted((a, b) => b.product / b.baseline - a.product / a.baseline)[0];
  if (worst)
    print(
      `the worst of ${all.length} hostile texts, ${JSON.stringify(worst.piece)}, 200 KB against 10 x 20 KB`,
      worst,
      "<= 4",
    );
}
