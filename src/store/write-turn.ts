// Whose turn it is to write: two threads of one process take turns at a database, so that the event loop never stands still for the other's transaction.

/** The thread that answers people goes before the one that works behind their backs. */
type TurnSide = "front" | "back";

/** Cells of the shared memory. */
const OWNER = 0;
const FRONT_WAITS = 1;
const BACK_WAITS = 2;
/** When the front had its last turn, in milliseconds that begin anew every few weeks. */
const FRONT_AT = 3;
const CELLS = 4;
const CODE: Record<TurnSide, number> = { front: 1, back: 2 };

export class WriteTurn {
  /** Handed to the other thread, which makes its own side of it. */
  readonly memory: SharedArrayBuffer;
  readonly #cells: Int32Array;
  readonly #side: TurnSide;
  /** Transactions of one thread never overlap, so it may have its turn several times over. */
  #depth = 0;

  constructor(side: TurnSide, memory = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#cells = new Int32Array(memory);
    this.#side = side;
  }

  /** At once, when the other side has it not; the back also leaves it to a front that waits. */
  tryTake(): boolean {
    if (this.#depth === 0) {
      if (this.#side === "back" && Atomics.load(this.#cells, FRONT_WAITS) > 0) return false;
      if (Atomics.compareExchange(this.#cells, OWNER, 0, CODE[this.#side]) !== 0) return false;
      if (this.#side === "front") Atomics.store(this.#cells, FRONT_AT, Date.now() | 0);
    }
    this.#depth++;
    return true;
  }

  /** For the back: how many milliseconds ago the front wrote. */
  get quietMs(): number {
    if (this.#side === "front") return Number.POSITIVE_INFINITY;
    return Math.abs((Date.now() - Atomics.load(this.#cells, FRONT_AT)) | 0);
  }

  /** False when the other side did not give it back in time. */
  async take(limitMs: number): Promise<boolean> {
    const end = performance.now() + limitMs;
    const isFront = this.#side === "front";
    const waits = isFront ? FRONT_WAITS : BACK_WAITS;
    Atomics.add(this.#cells, waits, 1);
    try {
      while (!this.tryTake()) {
        const left = end - performance.now();
        if (left <= 0) return false;
        const cell = !isFront && Atomics.load(this.#cells, FRONT_WAITS) > 0 ? FRONT_WAITS : OWNER;
        const now = Atomics.load(this.#cells, cell);
        if (now === 0) continue;
        const changed = Atomics.waitAsync(this.#cells, cell, now, left);
        if (changed.async) await changed.value;
      }
      return true;
    } finally {
      if (Atomics.sub(this.#cells, waits, 1) === 1 && isFront) Atomics.notify(this.#cells, FRONT_WAITS);
    }
  }

  give(): void {
    if (--this.#depth > 0) return;
    Atomics.store(this.#cells, OWNER, 0);
    // Waking nobody costs as much as waking somebody.
    const others = this.#side === "front" ? BACK_WAITS : FRONT_WAITS;
    if (Atomics.load(this.#cells, others) > 0) Atomics.notify(this.#cells, OWNER);
  }

  /** The other thread has ended: what it had is free. */
  free(): void {
    const other = CODE[this.#side === "front" ? "back" : "front"];
    if (Atomics.compareExchange(this.#cells, OWNER, other, 0) === other) Atomics.notify(this.#cells, OWNER);
  }
}
