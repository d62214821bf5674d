// A custom command with its arguments put in. The text is only ever text: nothing in it is run.
const PLACE = /\$ARGUMENTS\b|\$([1-9])(?!\d)/g;

/** Arguments are put in once: what they contain is not looked at again. Without a place for them they follow the text. */
export function expandCommand(body: string, typed: string): string {
  const all = typed.trim();
  const words = splitWords(all);
  let hasPlace = false;
  const text = body.replace(PLACE, (_place, number?: string) => {
    hasPlace = true;
    return number === undefined ? all : (words[Number(number) - 1] ?? "");
  });
  return hasPlace || all === "" ? text : `${text}\n\n${all}`;
}

/** Words between spaces; quotes keep several in one. */
function splitWords(text: string): string[] {
  const words = text.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  return words.map((word) => word.replace(/^(["'])(.*)\1$/s, "$2"));
}
