// Waits that end, and do not end too early.
import { expect, it } from "vitest";
import { within } from "./abort.ts";

it("O136 a limit longer than any timer is no limit of a millisecond", async () => {
  const later = new Promise<string>((resolve) => setTimeout(() => resolve("done"), 50));
  expect(await within(later, 2 ** 31 * 11)).toEqual({ type: "value", value: "done" });
});
