// The secret filter: 100 KB against compressing the same text, and 1 MB against ten times 100 KB.
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
}
