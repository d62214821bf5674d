// The figures that prompt mode prints at its end.
import { expect, it } from "vitest";
import { noUsage } from "../../schema/model.ts";
import { metrics } from "./metrics.ts";
import { RunTotals } from "./totals.ts";

const linesWith = (cost: number | undefined): string[] => {
  const totals = new RunTotals();
  totals.byModel = { offline: { ...noUsage, inputTokens: 7, ...(cost === undefined ? {} : { cost }) } };
  return metrics(totals, { durationMs: 1000, sessionId: "0199a000-0000-7000-8000-00000000000f" }).split("\n");
};

it("N50 a model that costs nothing, or whose price is unknown, shows no cost", () => {
  for (const cost of [0, undefined]) expect(linesWith(cost)).toContain("offline: 7 in, 0 out, 0 cached");
  expect(linesWith(0.02)).toContain("offline: 7 in, 0 out, 0 cached, $0.0200");
});
