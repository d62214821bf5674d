// One budget and one fencing for all that is remembered: records, board, inbox, recall and graph.
import { describe, expect, it } from "vitest";
import { type RememberedKind, rememberedChars, rememberedRoom } from "./remembered.ts";

describe("the budget of remembered text", () => {
  it("M48 R41 GC25 no window gives remembered text more than a fifth, whatever the settings allow", () => {
    const kinds: RememberedKind[] = ["records", "recall", "graph", "inbox", "board"];
    for (const promptLimit of [0, 1000, 4096, 8000, 32_000, 200_000, 1_000_000]) {
      const all = kinds.reduce((sum, kind) => sum + rememberedRoom(kind, promptLimit), 0);
      expect(all).toBeLessThanOrEqual(promptLimit / 5);
    }
    expect(rememberedRoom("graph", 200_000, 100)).toBe(100);
    expect(rememberedChars("graph", 1_000_000, 4000)).toBe(4000);
    expect(rememberedRoom("graph", -5)).toBe(0);
  });
});
