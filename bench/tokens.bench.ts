// Counting tokens: request N+1 touches only its new text; hostile text costs little more than prose.
import { TokenCounter } from "../src/model/tokens/counter.ts";
import { measure } from "../src/model/tokens/measure.ts";
import { toItems } from "../src/model/wire/own-fixture.ts";
import { alternate, print, timed } from "./measure.ts";

const prose = (chars: number): string =>
  "The quick brown fox jumps over the lazy dog, and then it rests. ".repeat(chars / 64);

export async function bench(): Promise<void> {
  const counter = new TokenCounter();
  await counter.count("load");
  const messages = Array.from({ length: 10_000 }, (_, i) => ({
    role: "user" as const,
    content: `message ${i}: ${prose(640)}`,
  }));
  const request = { system: "system", tools: [], limit: 1 };
  await measure({ ...request, items: toItems(messages) }, counter);
  const before = counter.tokenisedChars;
  const added = { role: "user" as const, content: `one more: ${prose(640)}` };
  await measure({ ...request, items: toItems([...messages, added]) }, counter);
  const ratio = (counter.tokenisedChars - before) / added.content.length;
  console.log(`characters tokenised for request N+1 / characters added: ${ratio.toFixed(3)} (target <= 1.05)`);

  const hostile: Record<string, string> = {
    "one letter": "a".repeat(1_000_000),
    base64: Buffer.from(Array.from({ length: 750_000 }, (_, i) => (i * 7919) % 256)).toString("base64"),
    "CJK without punctuation": Array.from({ length: 333_333 }, (_, i) =>
      String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000)),
    ).join(""),
    blanks: " ".repeat(1_000_000),
  };
  const plain = prose(1_000_000);
  for (const [name, text] of Object.entries(hostile)) {
    const fresh = () => new TokenCounter();
    print(
      `counting 1 MB of ${name}`,
      await alternate(
        3,
        () => timed(() => fresh().count(plain)),
        () => timed(() => fresh().count(text)),
      ),
      "<= 3",
    );
  }
}
