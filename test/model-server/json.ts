// Reading JSON of unknown shape: each reader gives the value when it has the wanted form, or nothing.
export type Json = Record<string, unknown>;

export function object(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

/** The objects of an array; anything else in it, or no array at all, is left out. */
export function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(object).filter((entry) => entry !== undefined) : [];
}

/** True when the value is an array of objects only. */
export function isObjects(value: unknown): boolean {
  return Array.isArray(value) && objects(value).length === value.length;
}

export function string(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The parsed text, or undefined when it is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True when some string in the value, a key included, holds half of a surrogate pair. */
export function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (Array.isArray(value)) return value.some(hasLoneSurrogate);
  const fields = object(value);
  return (
    fields !== undefined &&
    Object.entries(fields).some(([key, field]) => !key.isWellFormed() || hasLoneSurrogate(field))
  );
}
