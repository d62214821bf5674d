// A view that throws, while it draws or on a key: told once, nothing thrown on.
import { describe, expect, it } from "vitest";
import { plainLook } from "../theme/look.ts";
import type { PanelView } from "./contract.ts";
import { guardedView } from "./guard.ts";

const look = plainLook({ reasoning: "line", toolLines: 8 });
const broken: PanelView<number> = {
  render() {
    throw new Error("no lines");
  },
  handle() {
    throw new Error("no key");
  },
};

describe("a view that throws", () => {
  it("FB8 drawing it fails: told once, and the frame has no lines of it", async () => {
    const told: string[] = [];
    const view = guardedView(broken, (message) => told.push(message));
    expect([view.render(1, 80, look, 10), view.render(1, 80, look, 10)]).toEqual([[], []]);
    await Promise.resolve();
    expect(told).toEqual(["no lines"]);
  });

  it("FB8 a key fails: the panel closes; a sound view is left as it is", async () => {
    const told: string[] = [];
    expect(guardedView(broken, (message) => told.push(message)).handle({ id: "x", text: "x" }, 1)).toEqual({
      type: "close",
    });
    await Promise.resolve();
    expect(told).toEqual(["no key"]);
    const sound: PanelView<number> = { render: (n) => [String(n)], handle: () => undefined };
    expect(guardedView(sound, () => told.push("never")).render(7, 80, look, 10)).toEqual(["7"]);
  });
});
