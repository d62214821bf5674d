// Headers by name, whatever their case. Node's own class loads its whole fetch, which costs a start 40 ms and 15 MB.

type HeaderPairs = Iterable<readonly [string, string]> | Readonly<Record<string, string>>;

/** As much of the web's `Headers` as is used here, and in the AI SDK's helpers, which are built with it (scripts/build.mjs). */
export class PlainHeaders {
  readonly #values = new Map<string, string>();

  constructor(pairs: HeaderPairs = []) {
    const entries = Symbol.iterator in pairs ? pairs : Object.entries(pairs);
    for (const [name, value] of entries as Iterable<readonly [string, string]>) this.append(name, value);
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), String(value).trim());
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value}`);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  forEach(each: (value: string, name: string) => void): void {
    for (const [name, value] of this) each(value, name);
  }

  entries(): IterableIterator<[string, string]> {
    return this.#values.entries();
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}
