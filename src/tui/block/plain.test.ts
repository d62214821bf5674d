// Plain mode draws the same blocks as labelled lines.
import { expect, it } from "vitest";
import { PLAIN_WIDTH, plainLook } from "../theme/look.ts";
import { sampleBlocks } from "./block-fixture.ts";
import { renderBlock } from "./render.ts";

const plain = (block: ReturnType<typeof sampleBlocks>[number]) => renderBlock(block, PLAIN_WIDTH, plainLook());

it("F65 FI11 lines are labelled, without glyph, drawn line or escape sequence", () => {
  for (const block of sampleBlocks()) {
    const lines = plain(block);
    expect(lines[0], block.kind).toMatch(/^[A-Za-z/][\w./ ]*: ?/);
    expect(lines.join("\n")).toMatch(/^[\x20-\x7e\n]*$/);
    expect(lines.join("\n")).not.toMatch(/ctrl\+o|\+-|\|/);
  }
  const labels = new Set(sampleBlocks().map((block) => plain(block)[0]?.split(":")[0]));
  for (const label of ["you", "everlong", "tool", "permission", "notice"]) expect([...labels]).toContain(label);
});

it("F65 a table becomes a list of its values by header", () => {
  const text = "| name | value |\n|---|---|\n| port | 8080 |\n| host | localhost |";
  const lines = plain({ kind: "assistant", id: "m", at: "2026", messageId: "m", state: "complete", text });
  expect(lines).toEqual(["everlong:", "  name: port", "  value: 8080", "", "  name: host", "  value: localhost"]);
});
