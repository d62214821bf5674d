// A promotion as one message: a block that says what it is, whose text cannot close it and can be read back.
import { fitted } from "../graph/message.ts";
import { isPromotionKind, isPromotionScope, type PromotionKind, type PromotionScope } from "./kind.ts";

export type Promotion = {
  kind: PromotionKind;
  scope: PromotionScope;
  /** When it was promoted, as ISO time. */
  at: string;
  text: string;
};

/** The whole block fits into `maxChars`; a longer text is cut and says so. Other texts of ours for a graph stand in one, too. */
export function promotionBlock({ kind, scope, at, text }: Record<keyof Promotion, string>, maxChars: number): string {
  const head = [
    `<graphiti_episode kind="${kind}">`,
    "source: everlong",
    `scope: ${scope}`,
    `timestamp: ${at}`,
    "content:",
    "",
  ].join("\n");
  const tail = "\n</graphiti_episode>";
  return `${head}${fitted(escaped(text.trim()), maxChars - head.length - tail.length, withoutHalfEscape)}${tail}`;
}

const BLOCK =
  /^<graphiti_episode kind="(\w+)">\nsource: everlong\nscope: (\w+)\ntimestamp: (\S+)\ncontent:\n([\s\S]*)\n<\/graphiti_episode>$/;

/** Undefined: it is no such block. */
export function readPromotion(block: string): Promotion | undefined {
  const [, kind = "", scope = "", at = "", text = ""] = BLOCK.exec(block) ?? [];
  return isPromotionKind(kind) && isPromotionScope(scope) ? { kind, scope, at, text: unescaped(text) } : undefined;
}

const escaped = (text: string): string => text.toWellFormed().replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const unescaped = (text: string): string => text.replaceAll("&lt;", "<").replaceAll("&amp;", "&");

/** An escape is not cut through. */
const withoutHalfEscape = (part: string): string => part.replace(/&[a-z]{0,4}$/, "");
