// Going back, as pages: what is offered, and what of the log is read for it.
import { describe, expect, it } from "vitest";
import { ok } from "../../base/result.ts";
import type { Client } from "../../runtime/client.ts";
import { plainLook } from "../theme/look.ts";
import { renderPicker } from "../view/picker.ts";
import type { PickerPage } from "./page.ts";
import { rewindPage } from "./session.ts";

const look = plainLook({ reasoning: "line", toolLines: 8 });
const timestamp = "2026-01-01T00:00:00Z";

async function rowsOf(client: object, ref: string): Promise<PickerPage> {
  const page = await rewindPage(client as unknown as Client, ref);
  if (!page.ok || page.value.type !== "rows") throw new Error(JSON.stringify(page));
  return page.value;
}

describe("pages about going back", () => {
  it("F56 only files that can be overwritten are offered; those whose old text is gone are named", async () => {
    const files = [
      { path: "/w/theirs", action: "skip", why: "w", isForeign: true },
      { path: "/w/large", action: "skip", why: "w" },
    ];
    const clientOf = (some: object[]) => ({
      history: { preview: () => ok({ prompts: [{ ref: "t1", content: "go" }], files: some }) },
    });
    const both = renderPicker(await rowsOf(clientOf(files), "t1"), 100, look, 10).join("\n");
    expect(both).toMatch(
      /^Back to before t1: go\n {2}1 file \(large\) cannot go back: the old text was not kept\.\n> 1 /,
    );
    expect(both).toMatch(/also files changed by others +1 file \(theirs\): what/);
    const lost = await rowsOf(clientOf(files.slice(1)), "t1");
    expect(lost.rows.map(({ label }) => label)).toEqual(["conversation only", "cancel"]);
    expect((await rowsOf(clientOf([]), "t1")).note).toBeUndefined();
    const [conversation] = lost.rows;
    expect(conversation?.does).toEqual({ type: "run", line: "/rewind t1", afterwards: "close", insert: "go" });
  });

  it("F56 files are counted once, and only for the messages on the screen", async () => {
    const read: string[] = [];
    const past = Array.from({ length: 100 }, (_, n) => `t${n + 1}`).flatMap((ref) => [
      { type: "user.message", timestamp, data: { ref, content: `message ${ref}` } },
      {
        type: "tool.execution_complete",
        timestamp,
        get data() {
          read.push(ref);
          return {
            filesChanged: ["edit", "edit", "view"].map((operation) => ({ path: `/${ref}/${operation}`, operation })),
          };
        },
      },
    ]);
    const page = await rowsOf({ past: () => past }, "");
    expect(read).toEqual([]);
    const lines = renderPicker(page, 100, look, 5);
    expect(lines[1]).toMatch(/^> 1 t100 {2}\d+d ago {2}1 file {2}message t100/);
    renderPicker(page, 100, look, 5);
    renderPicker({ ...page, query: "message t7" }, 100, look, 3);
    expect(read).toEqual(["t100", "t99", "t98", "t79"]);
  });
});
