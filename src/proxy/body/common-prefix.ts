// How far two requests are the same.

/** The number of bytes that both begin with. */
export function commonPrefix(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  let low = 0;
  let high = most;
  // Whole stretches are compared by the machine; halving finds the first that differs.
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    if (a.compare(b, low, middle, low, middle) === 0) low = middle;
    else high = middle - 1;
  }
  return low;
}
