// Names and ids of calls as the target accepts them: the same every time, and never two alike.

/**
 * Gives each call of a history, in order, its id on the wire: ids of other providers are longer, or hold characters that
 * this one refuses. What is appended later never changes an id given before.
 */
export function callIds(maxChars: number): (id: string) => string {
  const used = new Set<string>();
  const next = new Map<string, number>();
  return (id) => {
    const plain = id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxChars) || "call";
    let unique = plain;
    for (let n = next.get(plain) ?? 2; used.has(unique); n++) {
      unique = `${plain.slice(0, maxChars - 8)}_${n}`;
      next.set(plain, n + 1);
    }
    used.add(unique);
    return unique;
  };
}

/** A model may have called a name that no provider lets through again. */
export function callName(name: string): string {
  return (
    name
      .replace(/[^a-zA-Z0-9_-]/g, "_")
      .replace(/^(?=[0-9-])/, "_")
      .slice(0, 64) || "unknown"
  );
}
