// Reads a threshold: a share of the limit, a percentage, or never.

/** Above every share, so that it is never reached. */
export const NEVER = Number.POSITIVE_INFINITY;

type Threshold = { value: number; warning?: string };

const NUMBER = /^(\d+(?:\.\d*)?|\.\d+)(%?)$/;

/** A number above 0, or `80%`; above 1 and `off` mean never; anything else is the default, with a warning. */
export function parseThreshold(input: string | number, setting: string, fallback: number): Threshold {
  const text = String(input).trim();
  if (text.toLowerCase() === "off") return { value: NEVER };
  const [, digits, percent] = NUMBER.exec(text) ?? [];
  const share = Number(digits) / (percent === "%" ? 100 : 1);
  if (share > 0) return { value: share > 1 ? NEVER : share };
  const warning = `${setting}: ${JSON.stringify(input)} is not a threshold; use a number above 0, a percentage such as 80%, or off. The default ${fallback} is used.`;
  return { value: fallback, warning };
}
