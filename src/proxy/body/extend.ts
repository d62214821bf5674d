// Texts of ours put into an item between its bytes: every byte that it came with stays, in its order.
import type { MessageFormat } from "../../model/wire/contract.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";
import type { ByteSpan, HistoryPiece } from "../contract.ts";
import { elementsOf, membersOf, skipSpace } from "./json-bytes.ts";
import { contentOf, type ItemBytes } from "./message.ts";

type Texts = Pick<HistoryPiece, "append" | "prepend">;
export const hasTexts = ({ append = [], prepend = [] }: Texts): boolean => append.length + prepend.length > 0;

type Edit = { at: number; text: string };

/** The item's bytes with the texts in them. */
export function extended(source: ItemBytes, texts: Texts, wire: WireName): Buffer[] {
  if (!hasTexts(texts)) return [source.bytes.subarray(source.span.start, source.span.end)];
  const { content, span } = contentIn(source, wire);
  const edits =
    typeof content === "string"
      ? editsOfText(content, span, texts)
      : editsOfParts(content, elementsIn(source, span), span, texts, wireOf(wire).message);
  return spliced(source, edits);
}

/** The parts of a user message with the texts among them, those that answer calls apart; a text becomes a part of the same literal. */
export function partsOf(source: ItemBytes, texts: Texts, wire: WireName): { results: Buffer[]; others: Buffer[] } {
  const { content, span } = contentIn(source, wire);
  const rules = wireOf(wire).message;
  const slice = ({ start, end }: ByteSpan): Buffer => source.bytes.subarray(start, end);
  const results: Buffer[] = [];
  const others = partTexts(texts.prepend, rules).map((part) => Buffer.from(part));
  if (typeof content !== "string") {
    for (const [index, element] of elementsIn(source, span).entries()) {
      (rules.isResult?.(content[index]) ? results : others).push(slice(element));
    }
  } else if (content !== "") {
    others.push(Buffer.from(rules.textPart(slice(span).toString())));
  }
  others.push(...partTexts(texts.append, rules).map((part) => Buffer.from(part)));
  return { results, others };
}

function contentIn(source: ItemBytes, wire: WireName): { content: string | readonly unknown[]; span: ByteSpan } {
  const content = contentOf(source, wire);
  const span = typeof source.value === "string" ? source.span : lastMember(source, wireOf(wire).message.holder);
  if (content === undefined || !span) throw new Error("A text was to be added to an item that can take none.");
  return { content, span };
}

/** The last one of doubled members counts, as in the value. */
function lastMember({ bytes, span }: ItemBytes, key: string): ByteSpan | undefined {
  const members = membersOf(bytes, skipSpace(bytes, span.start))?.members;
  return members?.findLast((member) => member.key === key)?.value;
}

const elementsIn = ({ bytes }: ItemBytes, { start }: ByteSpan): ByteSpan[] => elementsOf(bytes, start)?.elements ?? [];

const BREAK = "\n\n";

function editsOfText(content: string, { start, end }: ByteSpan, { append = [], prepend = [] }: Texts): Edit[] {
  if (content === "") return [{ at: start + 1, text: inString([...prepend, ...append].join(BREAK)) }];
  return [
    { at: start + 1, text: inString(prepend.map((text) => text + BREAK).join("")) },
    { at: end - 1, text: inString(append.map((text) => BREAK + text).join("")) },
  ];
}

function editsOfParts(
  content: readonly unknown[],
  elements: readonly ByteSpan[],
  { start }: ByteSpan,
  texts: Texts,
  rules: MessageFormat,
): Edit[] {
  const before = partTexts(texts.prepend, rules);
  const after = partTexts(texts.append, rules);
  const [first, last] = [elements[0], elements.at(-1)];
  if (!first || !last) return [{ at: start + 1, text: [...before, ...after].join(",") }];
  const result = elements[content.findLastIndex((part) => rules.isResult?.(part))];
  return [
    result
      ? { at: result.end, text: before.map((part) => `,${part}`).join("") }
      : { at: first.start, text: before.map((part) => `${part},`).join("") },
    { at: last.end, text: after.map((part) => `,${part}`).join("") },
  ];
}

const partTexts = (texts: readonly string[] = [], rules: MessageFormat): string[] =>
  texts.map((text) => rules.textPart(JSON.stringify(text)));

const inString = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Edits come in the order of their places. */
function spliced({ bytes, span }: ItemBytes, edits: readonly Edit[]): Buffer[] {
  const chunks: Buffer[] = [];
  let from = span.start;
  for (const { at, text } of edits) {
    chunks.push(bytes.subarray(from, at), Buffer.from(text));
    from = at;
  }
  return [...chunks, bytes.subarray(from, span.end)];
}
