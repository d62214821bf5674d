// Looking up a word that somebody else chose: "constructor" and "toString" are in no table of ours.

/** What the table itself has under the key; nothing that every object has. */
export const entryOf = <Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;
