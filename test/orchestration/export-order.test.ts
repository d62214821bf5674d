// Prompt mode's end in its order: the export comes after idle agents have completed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { run } from "../tool/everlong.ts";
import { cast, task, tasks } from "./cast.ts";

describe("the end of a run", () => {
  it("O125 the export has the completion of agents that were idle, and the session is idle once", async () => {
    const { place } = await cast(
      (_request, step) =>
        step === 0 ? tasks(task("ALPHA", { name: "alpha", mode: "background" })) : text("heard of it"),
      { ALPHA: [text("the answer")] },
    );
    const path = join(place.folder, "session.jsonl");
    const args = ["-p", "go", "--output-format", "stream-json"];
    const done = await run(place, args, { env: { EVERLONG_EXPORT: path } });
    expect(done.code, done.stderr).toBe(0);
    const exported = readFileSync(path, "utf8");
    expect(exported).toContain('"subagent.idle"');
    expect(exported).toContain('"subagent.completed"');
    expect(done.events.filter((e) => e.type === "subagent.completed")).toHaveLength(1);
    expect(done.events.filter((e) => e.type === "session.idle")).toHaveLength(1);
  });
});
