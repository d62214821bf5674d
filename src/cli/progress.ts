// Long work at a terminal: how far it is, how fast, how long it still takes; Ctrl+C stops it. In a pipe a line now and then.
import type { Person, WorkProgress } from "../command/contract.ts";
import { byteSize, counted, grouped } from "../command/format.ts";
import { EXIT } from "./exit.ts";

const REDRAW_MS = 100;
/** Before that nobody knows how long it takes. */
const ESTIMATE_MS = 3000;
const PIPE_MS = 10_000;
const SHARE_TOLD = 0.1;
/** What is done sooner says so at its end. */
const PIPE_LEAST_MS = 1000;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Where progress is told. */
type ProgressReport = { show(step: WorkProgress): void; clear(): void };

/** Work whose progress goes to `report`, and which a signal stops. */
export const watchedBy =
  (report: ProgressReport): NonNullable<Person["watch"]> =>
  async (work) => {
    const controller = new AbortController();
    const stop = (): void => {
      if (controller.signal.aborted) process.exit(EXIT.interrupted);
      controller.abort();
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    try {
      return await work({ signal: controller.signal, progress: report.show });
    } finally {
      report.clear();
      for (const signal of SIGNALS) process.off(signal, stop);
    }
  };

/** For `stream-json`: the first step of each work, every tenth of it, and as often as a terminal is drawn. */
export function progressEvents(tell: (step: WorkProgress) => void, now: () => number): ProgressReport {
  let last = { label: "", at: 0, share: 0 };
  return {
    show(step) {
      const [at, share] = [now(), shareOf(step)];
      const isOld = step.label === last.label && at - last.at < REDRAW_MS && share - last.share < SHARE_TOLD;
      if (isOld) return;
      last = { label: step.label, at, share };
      tell(step);
    },
    clear: () => undefined,
  };
}

const shareOf = ({ part, total }: WorkProgress): number => (total === 0 ? 1 : part / total);

type Screen = { isTTY?: boolean; columns?: number; write(text: string): unknown };

export function progressLine(screen: Screen, now: () => number): ProgressReport {
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
      const share = shareOf(step);
      const isDue = screen.isTTY
        ? time - last.at >= REDRAW_MS
        : time - last.at >= (share - last.share >= SHARE_TOLD ? PIPE_LEAST_MS : PIPE_MS);
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
