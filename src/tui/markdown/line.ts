// What a line of Markdown begins or ends, seen from the line alone.

export const isBlank = (line: string): boolean => line.trim() === "";
export const isHeading = (line: string): boolean => /^ {0,3}#{1,6}(?:\s|$)/.test(line);
/** `***`, `---`, `_ _ _`. */
export const isRule = (line: string): boolean =>
  /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(line);
/** The line below a heading of the older form. */
export const isUnderline = (line: string): boolean => /^ {0,3}(?:=+|-+)[ \t]*$/.test(line);

type FenceStart = { mark: string; indent: number; language: string };

export function fenceOf(line: string): FenceStart | undefined {
  const fence = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})[ \t]*([^\s`]{0,40})/.exec(line);
  return fence ? { mark: fence[2] ?? "", indent: fence[1]?.length ?? 0, language: fence[3] ?? "" } : undefined;
}

export function isFenceEnd(line: string, mark: string): boolean {
  const text = line.trim();
  return (
    line.length - line.trimStart().length < 4 &&
    text.length >= mark.length &&
    text === mark.charAt(0).repeat(text.length)
  );
}

/** `content`: the column where an item's own text begins. */
export type ListMark = { content: number; number?: number; isEmpty: boolean };

export function markOf(line: string): ListMark | undefined {
  const mark = /^( {0,3})([-*+]|(\d{1,9})[.)])( {1,4}(?! )|$|(?= ))/.exec(line);
  if (!mark) return undefined;
  const [whole, indent = "", sign = "", number] = mark;
  const isEmpty = line.slice(whole.length).trim() === "";
  const content = whole.length > indent.length + sign.length ? whole.length : indent.length + sign.length + 1;
  return { content, isEmpty, ...(number === undefined ? {} : { number: Number(number) }) };
}

/** The second line of a table: as many columns as the first has, of dashes. */
export function isDelimiter(line: string, header: string): boolean {
  if (!header.includes("|") || !/^[ \t|:-]+$/.test(line) || !line.includes("-")) return false;
  return columnsOf(line) === columnsOf(header);
}

const columnsOf = (row: string): number => {
  const bare = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return bare.split(/(?<!\\)\|/).length;
};
