// Promotion as a user has it: a command now, the facts in every later session of its scope, and a way back.
import { describe, expect, it } from "vitest";
import { gitInit, scene, userTexts } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { logOf, only, type Place, run, sessionsOf } from "../tool/everlong.ts";
import { otherFolder } from "./hand-stage.ts";

const stage = async () => {
  const { place, server } = await scene(() => text("Fine."));
  gitInit(place);
  const ask = async (prompt: string, at: Place = place) => {
    const done = await run(at, ["-p", prompt]);
    expect(done.code, done.stderr).toBe(0);
    return userTexts(server.requests.at(-1)).at(-1) ?? "";
  };
  const promote = (...args: string[]) => run(place, ["promote", ...args]);
  return { place, ask, promote };
};

describe("promotion", () => {
  it("GC28 GC30 RE13 a promoted decision stands before the first request of a later session, and the log keeps the user's words apart", async () => {
    const { place, ask, promote } = await stage();
    const done = await promote("--scope", "workspace", "--kind", "decision", "We use Postgres");
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toMatch(/^Promoted to the workspace as decision\. Undo: everlong graph undo [0-9a-f]{8}$/m);
    const request = await ask("Which database do we have?");
    expect(request).toMatch(
      /^<everlong_recall>\n[\s\S]*We use Postgres \([0-9a-f]{8}, \d{4}-\d\d-\d\d, promoted by the user\)/,
    );
    expect(request).toMatch(/<\/everlong_recall>\n\nWhich database do we have\?$/);
    const [message] = only(logOf(place, sessionsOf(place)[0]), "user.message");
    expect(message?.data.content).toBe("Which database do we have?");
    expect(await ask("Which database?", { ...place, folder: otherFolder(place) })).toBe("Which database?");
  });

  it("GC36 RE13 undo takes back the newest promotion with its pin, and says so", async () => {
    const { place, ask, promote } = await stage();
    await promote("--kind", "decision", "We use Postgres");
    await promote("--kind", "preference", "--scope", "workspace", "Use tabs, not spaces");
    expect(await ask("Hello there, friend")).toContain("Use tabs, not spaces");
    const undone = await run(place, ["graph", "undo"]);
    expect(undone.stdout).toBe('Took back "Use tabs, not spaces": 1 fact removed. 1 pin ended.\n');
    const listed = await run(place, ["graph", "promotions"]);
    expect(listed.stdout).toMatch(/^[0-9a-f]{8} {2}\S+ \S+ {2}workspace decision, stored: We use Postgres\n$/);
    const request = await ask("Hello there, friend");
    expect(request).not.toContain("Use tabs");
    expect(request).toContain("We use Postgres");
  });
});
