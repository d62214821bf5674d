// N21: an agent that is attached in the middle of its work loses nothing by the first cut.
import { expect, it, onTestFinished } from "vitest";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { FIRST_CUT_ENV, firstCuts } from "./first-cut.ts";
import { openInProcess } from "./in-process.ts";

it("N21 X57 a history never seen before that must be cut gets what its prompt asks for quoted in that very request", async () => {
  const server = await startModelServer({ script: () => text("I see.") });
  onTestFinished(() => server.close());
  const gateway = await openInProcess(server, { ...FIRST_CUT_ENV, EVERLONG_PROXY_RECALL_TIMEOUT_MS: "20000" });
  onTestFinished(() => gateway.close());
  const { share, missed, uncut, standing, lost } = await firstCuts(gateway, server);
  expect([uncut, standing, lost]).toEqual([[], [], []]);
  expect(share, missed.join(" | ")).toBeGreaterThanOrEqual(0.9);
});
