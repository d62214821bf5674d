// Numbers by keys that are hashes, for millions of them: a quarter of the memory of a Map, and nothing for the garbage collector to look at.

const FIRST_SLOTS = 64;
/** Fuller than that, looking for a key takes long. */
const FULLEST = 0.7;

/** Keys are whole numbers from 0 to 2^52 whose lowest bits are spread evenly; values have 32 bits. */
export class NumberMap {
  #size = 0;
  /** One more than the key; 0 where there is none. */
  #keys = new Float64Array(FIRST_SLOTS);
  #values = new Int32Array(FIRST_SLOTS);

  get size(): number {
    return this.#size;
  }

  has(key: number): boolean {
    return this.#keys[this.#slotOf(key)] !== 0;
  }

  get(key: number): number | undefined {
    const slot = this.#slotOf(key);
    return this.#keys[slot] === 0 ? undefined : this.#values[slot];
  }

  set(key: number, value: number): void {
    const slot = this.#slotOf(key);
    const isNew = this.#keys[slot] === 0;
    this.#keys[slot] = key + 1;
    this.#values[slot] = value;
    if (isNew && ++this.#size > this.#keys.length * FULLEST) this.#grow();
  }

  /** Where the key stands, or the free place where it would. */
  #slotOf(key: number): number {
    const last = this.#keys.length - 1;
    for (let slot = key & last; ; slot = (slot + 1) & last) {
      const entry = this.#keys[slot];
      if (entry === 0 || entry === key + 1) return slot;
    }
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new Float64Array(keys.length * 2);
    this.#values = new Int32Array(keys.length * 2);
    for (const [i, key] of keys.entries()) {
      if (key === 0) continue;
      const slot = this.#slotOf(key - 1);
      this.#keys[slot] = key;
      this.#values[slot] = values[i] ?? 0;
    }
  }
}
