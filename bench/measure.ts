// Alternating rounds of product and baseline; the median of each and their ratio.
export type Row = { name: string; baseline: number; product: number; target: string };

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

export async function alternate(
  rounds: number,
  baseline: () => Promise<number> | number,
  product: () => Promise<number> | number,
): Promise<{ baseline: number; product: number }> {
  const b: number[] = [];
  const p: number[] = [];
  for (let i = 0; i < rounds; i++) {
    b.push(await baseline());
    p.push(await product());
  }
  return { baseline: median(b), product: median(p) };
}

export async function timed(work: () => Promise<unknown> | unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export function print(name: string, m: { baseline: number; product: number }, target: string): void {
  const ratio = m.product / m.baseline;
  console.log(
    `${name}: ${m.product.toFixed(1)} ms, baseline ${m.baseline.toFixed(1)} ms, ratio ${ratio.toFixed(2)} (target ${target})`,
  );
}
