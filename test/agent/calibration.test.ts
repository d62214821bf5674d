// Token counts learn from what the provider reports, and the next process starts with what was learned.
import { describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { only, run } from "../tool/everlong.ts";
import { bash, scene } from "./scene.ts";

const FACTOR = 1.6;

describe("AE5 a provider that counts 1.6 times our estimate", () => {
  it("AE5 after five steps the meter is within 10 % of the reported count, and a second process starts there", async () => {
    // The first estimate is the raw one; the scripted provider counts by characters, with the same ratio all along.
    let unit: number | undefined;
    const estimates: number[] = [];
    const { server, place } = await scene((request, index) => {
      const reported = Math.round(request.rawBody.length * (unit ?? 0.25) * FACTOR);
      return index < 5
        ? calls([bash(`echo step ${index}`)], { usage: { input: reported } })
        : text("done", { usage: { input: reported } });
    });
    // Learn how our own estimate relates to characters, in a home of its own.
    const probe = { ...place, home: `${place.home}-probe` };
    const probed = await run(probe, ["-p", "go", "--allow-all", "--output-format", "stream-json"]);
    const raw = only(probed.events, "session.usage_info")[0]?.data.currentTokens ?? 0;
    unit = raw / (server.requests[0]?.rawBody.length ?? 1);
    server.requests.length = 0;

    const done = await run(place, ["-p", "go", "--allow-all", "--output-format", "stream-json"]);
    expect(done.code, done.stderr).toBe(0);
    const shown = only(done.events, "session.usage_info");
    const reported = only(done.events, "assistant.usage").map((u) => u.data.inputTokens);
    estimates.push(...shown.map((u) => u.data.currentTokens));
    expect(shown).toHaveLength(6);
    expect(Math.abs((estimates[0] ?? 0) / (reported[0] ?? 1) - 1)).toBeGreaterThan(0.3);
    expect(Math.abs((estimates[5] ?? 0) / (reported[5] ?? 1) - 1)).toBeLessThan(0.1);
    expect(shown[5]?.data.tokenAccountingBasis).toBe("calibrated");

    const second = await run(place, ["-p", "again", "--output-format", "stream-json"]);
    const first = only(second.events, "session.usage_info")[0];
    const counted = only(second.events, "assistant.usage")[0]?.data.inputTokens ?? 0;
    expect(first?.data.tokenAccountingBasis).toBe("calibrated");
    expect(Math.abs((first?.data.currentTokens ?? 0) / counted - 1)).toBeLessThan(0.15);
  });
});
