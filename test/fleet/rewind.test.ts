// Going back while a fleet runs: it would go on over a conversation that is not its own any more.
import { describe, expect, it } from "vitest";
import { scene, until } from "../agent/scene.ts";
import { converse } from "../context/stage.ts";
import { logOf, only } from "../tool/everlong.ts";
import { add, fleet, SLOTS, statuses } from "./stage.ts";

describe("A8.15 rewind and a fleet", () => {
  it("A8.15 O117 between the turns of a fleet going back is refused; once it is stopped it goes, and nothing of it goes on", async () => {
    const { answer, seen, checks } = fleet(add(["a", "b", "c"]), {
      a: () => new Promise(() => undefined),
      b: () => new Promise(() => undefined),
    });
    const { place } = await scene(answer, { env: SLOTS });
    const { client, close } = await converse(place, { interactive: true });
    expect(await client.agents.startFleet({ prompt: "build it" })).toMatchObject({
      ok: true,
      value: { started: true },
    });
    await until("both workers, and no turn", () => seen.length === 2 && !client.view().busy);
    expect(await client.history.rewind(undefined)).toMatchObject({
      ok: false,
      error: { code: "already_running", data: expect.stringContaining("Nothing was changed") },
    });
    expect(client.history.preview(undefined)).toMatchObject({ ok: true });
    expect(only(logOf(place), "session.snapshot_rewind")).toEqual([]);
    expect(statuses(place)).toMatchObject({ a: "in_progress", b: "in_progress" });
    expect(await client.tasks.cancelAll()).toBe(0);
    expect(await client.history.rewind(undefined)).toMatchObject({ ok: true });
    await client.untilIdle();
    expect(client.view().todos).toEqual([]);
    expect({ workers: seen.length, checks: checks.length }).toEqual({ workers: 2, checks: 0 });
    await close();
  });
});
