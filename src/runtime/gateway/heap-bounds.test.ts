// The heap's bounds follow the size of the bodies that come.
import { expect, it, onTestFinished, vi } from "vitest";
import type { GatewayEvent } from "../../schema/event/gateway.ts";
import { boundHeap } from "./heap-bounds.ts";

const request = (bytesIn: number | undefined): GatewayEvent => ({
  type: "proxy.request",
  data: { id: "r", family: "codex", path: "/v1/messages", action: "pass", outcome: "complete", totalMs: 1, bytesIn },
});

it("N33 while bodies are large the heap may double between two collections, and with small ones it stays near what is in use", () => {
  const flags: string[] = [];
  const see = boundHeap((flag) => void flags.push(flag));
  const bodies = (count: number, bytes: number | undefined): void => {
    for (let n = 0; n < count; n++) see(request(bytes));
  };
  bodies(20, 5_000);
  bodies(1, 1_000_000);
  bodies(20, undefined);
  expect(flags).toEqual(["--heap-growing-percent=25"]);
  bodies(20, 1_000_000);
  expect(flags).toEqual(["--heap-growing-percent=25", "--heap-growing-percent=100"]);
  bodies(40, 5_000);
  expect(flags.at(-1)).toBe("--heap-growing-percent=25");
});

it("N33 what a huge body leaves behind is collected once, when nothing as large has come for a while", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let released = 0;
  const see = boundHeap(
    () => undefined,
    () => void released++,
  );
  see(request(1_000_000));
  vi.advanceTimersByTime(60_000);
  expect(released).toBe(0);
  for (let n = 0; n < 3; n++) see(request(50_000_000));
  see(request(5_000));
  vi.advanceTimersByTime(60_000);
  expect(released).toBe(1);
});
