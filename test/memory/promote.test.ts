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
      /^<everlong_recall>\n[\s\S]*We use Postgres \([0-9a-f]{8}, since \d{4}-\d\d-\d\d, promoted by the user\)/,
    );
    expect(request).toMatch(/<\/everlong_recall>\n\nWhich database do we have\?$/);
    const [message] = only(logOf(place, sessionsOf(place)[0]), "user.message");
    expect(message?.data.content).toBe("Which database do we have?");
    expect(await ask("Which database?", { ...place, folder: otherFolder(place) })).toBe("Which database?");
  });

  it("R41 /context shows what the block takes of the room", async () => {
    const { place, ask, promote } = await stage();
    await promote("--kind", "decision", "We use Postgres");
    await ask("Which database do we have?");
    const shown = await run(place, ["-p", "/context", "--resume", sessionsOf(place)[0] ?? ""]);
    expect(shown.stdout).toMatch(/pins, facts and quotes before prompts +\d/);
  });

  it("GC30 RE13 a secret is refused with the rule's name and nothing is stored; --redact keeps the rest, in the workspace only", async () => {
    const { place, promote } = await stage();
    const secret = `ghp_${"a1B2c3".repeat(6)}`;
    const refused = await promote("--kind", "lesson_learned", `The deploy key is ${secret}`);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/The text contains a secret \(github[\w-]*\)\./);
    expect(refused.stderr).not.toContain(secret);
    const forUser = await promote("--kind", "lesson_learned", "--scope", "user", "--redact", `The key is ${secret}`);
    expect(forUser.code).toBe(1);
    expect((await run(place, ["graph", "promotions"])).stdout).toBe("Nothing was promoted here yet.\n");
    expect(await promote("--kind", "lesson_learned", "--redact", `The deploy key is ${secret}`)).toMatchObject({
      code: 0,
    });
    const listed = await run(place, ["graph", "promotions", "--json"]);
    expect(listed.stdout).toMatch(/The deploy key is \[redacted:github/);
    expect(listed.stdout).not.toContain(secret);
  });

  it("GC28 RE13 six kinds by hand, by stdin and by slash; an unknown kind or scope is wrong usage", async () => {
    const { place, promote } = await stage();
    const kinds = ["decision", "lesson_learned", "preference", "procedure", "task_update", "terminology"];
    for (const kind of kinds.slice(0, 4))
      expect(await promote("--kind", kind, `About ${kind}`)).toMatchObject({ code: 0 });
    expect(
      await run(place, ["graph", "promote", "--kind", "task_update"], { stdin: "About task_update\n" }),
    ).toMatchObject({ code: 0 });
    const slash = await run(place, ["-p", "/promote user terminology About terminology"]);
    expect(slash.stdout).toMatch(/^Promoted to the user as terminology\. Undo: \/graph undo [0-9a-f]{8}$/m);
    const rows = (await run(place, ["graph", "promotions", "--json"])).stdout.trim().split("\n");
    expect(rows.map((row) => (JSON.parse(row) as { text: string }).text).reverse()).toEqual(
      kinds.map((kind) => `About ${kind}`),
    );
    expect(await promote("--kind", "gossip", "x")).toMatchObject({ code: 2 });
    expect(await promote("--kind", "decision", "--scope", "moon", "x")).toMatchObject({ code: 2 });
  });

  it("GC36 RE13 undo takes back the newest promotion with its pin, and says so", async () => {
    const { place, ask, promote } = await stage();
    await promote("--kind", "decision", "We use Postgres");
    await promote("--kind", "preference", "--scope", "workspace", "Use tabs, not spaces");
    expect(await ask("Hello there, friend")).toContain("Use tabs, not spaces");
    const undone = await run(place, ["graph", "undo"]);
    expect(undone.stdout).toBe('Undone: "Use tabs, not spaces", 1 fact removed. 1 pin ended.\n');
    const listed = await run(place, ["graph", "promotions"]);
    expect(listed.stdout).toMatch(/^[0-9a-f]{8} {2}\S+ \S+ {2}workspace decision, stored: We use Postgres\n$/);
    const request = await ask("Hello there, friend");
    expect(request).not.toContain("Use tabs");
    expect(request).toContain("We use Postgres");
  });
});
