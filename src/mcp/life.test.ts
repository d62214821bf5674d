// The life of a server: restarts are counted and end, and only what fits changes it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Connection } from "./connection.ts";
import { type Life, type LifeEvent, nextLife } from "./life.ts";

const connected: LifeEvent = { type: "connected", connection: {} as Connection, list: { tools: [], warnings: [] } };
const lost: LifeEvent = { type: "lost", reason: "it died" };
const refused: LifeEvent = { type: "refused", code: "failed", reason: "no" };
const run = (events: LifeEvent[], from: Life = { status: "disabled" }) => events.reduce(nextLife, from);

describe("nextLife", () => {
  it("O139 a server that dies waits 1, 2, 4, 8, 16 s and then has failed, with the last reason", () => {
    let life = run([{ type: "start" }, connected]);
    const waits: number[] = [];
    for (;;) {
      life = nextLife(life, lost);
      if (life.status !== "starting") break;
      waits.push(life.waitMs);
      life = nextLife(life, connected);
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000]);
    expect(life).toEqual({ status: "failed", reason: "it died; it was started again 5 times" });
  });

  it("O139 a restart that fails counts, an answered call begins the count anew", () => {
    const restarting = run([{ type: "start" }, connected, lost, refused]);
    expect(restarting).toEqual({ status: "starting", restarts: 2, waitMs: 2000 });
    expect(run([connected, { type: "worked" }, lost], restarting)).toMatchObject({ restarts: 1, waitMs: 1000 });
  });

  it("O140 a first start that fails has failed at once, and 401 needs a key", () => {
    expect(run([{ type: "start" }, refused])).toEqual({ status: "failed", reason: "no" });
    expect(run([{ type: "start" }, { type: "refused", code: "needs-auth", reason: "401" }]).status).toBe("needs-auth");
  });

  it("B49 an untrusted server stays so, whatever happens", () => {
    const events = fc.array(
      fc.constantFrom<LifeEvent>({ type: "start" }, connected, lost, refused, { type: "worked" }, { type: "stopped" }),
    );
    fc.assert(
      fc.property(events, (all) => {
        expect(run(all, { status: "untrusted", reason: "r" }).status).toBe("untrusted");
      }),
    );
  });
});
