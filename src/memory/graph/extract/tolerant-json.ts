// JSON in a model's answer: inside fences or prose, after its thoughts, beside an echo of the schema, cut off at the end.
import { isRecord, parseJson } from "../../../base/json.ts";

/** The last object of the answer that `fits`; undefined when none does. */
export function answerObject(
  text: string,
  fits: (value: Record<string, unknown>) => boolean,
): Record<string, unknown> | undefined {
  const answer = text.replace(/<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/gi, "");
  const objects = spans(answer).flatMap((span) => {
    const parsed = parseJson(span);
    return parsed.ok && isRecord(parsed.value) && !isSchema(parsed.value) && fits(parsed.value) ? [parsed.value] : [];
  });
  return objects.at(-1);
}

const isSchema = (value: Record<string, unknown>): boolean => isRecord(value["properties"]) || "$schema" in value;

/** Every outermost object; one that is cut off ends after its last whole element. */
function spans(text: string): string[] {
  const parts: string[] = [];
  for (let start = text.indexOf("{"); start >= 0; ) {
    const { end, whole } = spanFrom(text, start);
    parts.push(whole);
    start = text.indexOf("{", end);
  }
  return parts;
}

function spanFrom(text: string, start: number): { end: number; whole: string } {
  const open: string[] = [];
  let isString = false;
  let cut = { at: start, open: "" };
  for (let i = start; i < text.length; i++) {
    const c = text[i];
    if (isString) {
      if (c === "\\") i++;
      else if (c === '"') isString = false;
    } else if (c === '"') isString = true;
    else if (c === "{") open.push("}");
    else if (c === "[") open.push("]");
    else if (c === "}" || c === "]") {
      open.pop();
      if (open.length === 0) return { end: i + 1, whole: text.slice(start, i + 1) };
      cut = { at: i + 1, open: [...open].reverse().join("") };
    }
  }
  return { end: text.length, whole: text.slice(start, cut.at) + cut.open };
}
