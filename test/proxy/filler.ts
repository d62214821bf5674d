// Text that looks like work: log lines of words, the same for the same seed.
const WORDS =
  "parser token buffer stream cache index socket worker thread queue event record column table query route header cookie render widget layout schema branch commit merge deploy cluster volume driver kernel socket signal memory vector matrix filter kernel pixel shader bundle module import export".split(
    " ",
  );

/** Lines of about 70 characters. */
export function filler(chars: number, seed: number): string {
  let state = seed * 2654435761 + 12345;
  const next = (most: number): number => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % most;
  };
  const lines: string[] = [];
  for (let size = 0; size < chars; ) {
    const words = Array.from({ length: 7 }, () => WORDS[next(WORDS.length)]).join(" ");
    const line = `${String(seed).padStart(3, "0")}-${String(lines.length).padStart(4, "0")} ${words} ${next(100_000)}`;
    lines.push(line);
    size += line.length + 1;
  }
  return lines.join("\n").slice(0, chars);
}

/** `text` after `depth` characters of other text, and as many behind it. */
export const buried = (text: string, depth: number, seed: number): string =>
  `${filler(depth, seed)}\n${text}\n${filler(depth, seed + 1000)}`;
