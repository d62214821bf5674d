// Long work at a terminal: how far it is, how fast, how long it still takes; Ctrl+C stops it. In a pipe a line now and then.
import type { Person, WorkProgress } from "../command/contract.ts";
import { byteSize, counted, grouped } from "../command/format.ts";
import { EXIT } from "./exit.ts";

const REDRAW_MS = 100;
/** Before that nobody knows how long it takes. */
const ESTIMATE_MS = 3000;
const PIPE_MS = 10_000;
const PIPE_SHARE = 0.1;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export const watched: NonNullable<Person["watch"]> = async (work) => {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  const line = progressLine(process.stderr, () => performance.now());
  try {
    return await work({ signal: controller.signal, progress: line.show });
  } finally {
    line.clear();
    for (const signal of SIGNALS) process.off(signal, stop);
  }
};

type Screen = { isTTY?: boolean; columns?: number; write(text: string): unknown };

export function progressLine(screen: Screen, now: () => number): { show(step: WorkProgress): void; clear(): void } {
  let began = now();
  let label = "";
  let last = { at: Number.NEGATIVE_INFINITY, share: 0 };
  let isShown = false;
  return {
    show(step) {
      const time = now();
      if (step.label !== label) {
        label = step.label;
        began = time;
        last = { at: screen.isTTY ? Number.NEGATIVE_INFINITY : time, share: 0 };
      }
      const share = step.total === 0 ? 1 : step.part / step.total;
      const isDue = screen.isTTY
        ? time - last.at >= REDRAW_MS
        : share - last.share >= PIPE_SHARE || time - last.at >= PIPE_MS;
      if (!isDue) return;
      last = { at: time, share };
      const text = progressText(step, time - began);
      // The terminal's last column stays free, or it would go on in the next row.
      screen.write(screen.isTTY ? `\r\x1b[K${text.slice(0, (screen.columns ?? 80) - 1)}` : `${text}\n`);
      isShown = screen.isTTY ?? false;
    },
    clear() {
      if (isShown) screen.write("\r\x1b[K");
      isShown = false;
    },
  };
}

export function progressText({ label, part, total, count, unit }: WorkProgress, ms: number): string {
  const rate = ms > 0 ? (count / ms) * 1000 : 0;
  const left = part > 0 && ms >= ESTIMATE_MS ? [`${leftText(((total - part) / part) * ms)} left`] : [];
  const speed = count > 0 ? [`${counted(count, unit)}${rate >= 1 ? `, ${grouped(rate)} a second` : ""}`] : [];
  return [
    `${label}: ${byteSize(part)} of ${byteSize(total)}`,
    ...speed,
    ...left,
    "Ctrl+C stops, the next run goes on",
  ].join(" · ");
}

function leftText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
