// A view that throws has a bug: the panel closes, one entry names it, and the session goes on.
import { errorText } from "../../base/failure.ts";
import type { PanelView } from "./contract.ts";

export function guardedView<State>(view: PanelView<State>, failed: (message: string) => void): PanelView<State> {
  let isBroken = false;
  const report = (error: unknown): void => {
    if (isBroken) return;
    isBroken = true;
    // Not while a frame is being drawn.
    queueMicrotask(() => failed(errorText(error)));
  };
  return {
    render(state, width, look, rows) {
      try {
        return isBroken ? [] : view.render(state, width, look, rows);
      } catch (error) {
        report(error);
        return [];
      }
    },
    handle(key, state) {
      try {
        return view.handle(key, state);
      } catch (error) {
        report(error);
        return { type: "close" };
      }
    },
  };
}
