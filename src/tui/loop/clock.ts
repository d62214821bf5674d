// Time on the screen: it goes on while something runs or a hint stands; an idle screen is never drawn again.
import type { ScreenState } from "../update/message.ts";
import { FRAME_MS } from "../view/activity.ts";

type ScreenClock = { follow(state: ScreenState): void; stop(): void };

const SECOND = 1000;

export function screenClock(tick: () => void, hasMotion: boolean): ScreenClock {
  let timer: NodeJS.Timeout | undefined;
  let current: ScreenState | undefined;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const needed = (): boolean => {
    if (!current) return false;
    const { activity, shell, hint } = current;
    return Boolean(activity.now ?? activity.compaction ?? shell) || (hint !== undefined && hint.until >= Date.now());
  };
  return {
    follow(state) {
      current = state;
      if (!needed()) return stop();
      timer ??= setInterval(
        () => {
          tick();
          if (!needed()) stop();
        },
        hasMotion ? FRAME_MS : SECOND,
      );
    },
    stop,
  };
}
