// What of a conversation counts as said: its sentences, without questions, which are no evidence.
import { isOwnWords } from "./wording.ts";

const ASKING =
  /^(?:(?:so|and|but|ok|okay|hey|hi|please|now)[\s,]+)*(?:(?:what|where|which|who|whom|whose|why|how)(?:['’]s|['’]re)?\b|(?:is|are|was|were|does|did|do|can|could|should|would|will|has|have)\s+(?!not\b)(?:the|a|an|there|it|this|that|these|those|we|you|i|they|any|my|our|your)\b|(?:find|show|tell|explain|list|search|grep|describe|look)\b)/i;

/** A sentence that asks, with or without its mark. */
export function isQuestion(sentence: string): boolean {
  const bare = sentence.replace(/^[\s>*/#"'`“-]+/, "").replace(/[\s"'`”*)]+$/, "");
  if (/[?？]$/.test(bare)) return true;
  return ASKING.test(bare) && !/[.!:;]$/.test(bare);
}

/** The sentences of a text that state something, each a piece of it as it stands. */
export function statements(text: string): string[] {
  return text
    .split(/\r?\n+|(?<=[.!?])\s+|(?<=[。！？])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length >= 3 && !isQuestion(sentence) && !isOwnWords(sentence));
}
