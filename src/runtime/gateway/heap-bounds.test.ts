// The heap's bounds follow the size of the bodies that come.
import { expect, it } from "vitest";
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
