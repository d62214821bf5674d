// Keys inside panels: agents are shown, written to, stopped and removed; memories are decided on and edited; facts are looked at.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitInit, scene } from "../agent/scene.ts";
import { gate } from "../context/stage.ts";
import { allowMemory, list, pending, repository } from "../memory/hand-stage.ts";
import { text } from "../model-server/reply.ts";
import { cast, task, tasks } from "../orchestration/cast.ts";
import { run, sessionsOf } from "../tool/everlong.ts";
import { openScreen } from "./screen.ts";

const size = { columns: 110, rows: 34 };

describe("/tasks", () => {
  it("F54 Enter shows the agent's own transcript, Esc leads back; m writes a message, b and r answer, s stops, d removes", async () => {
    const held = gate();
    const { place } = await cast(
      (_request, step) =>
        step === 0 ? tasks(task("CHILD look", { name: "looker", mode: "background" })) : text("main"),
      {
        CHILD: async () => {
          await held.opened;
          return text("never seen");
        },
      },
    );
    const screen = openScreen(place, size);
    await screen.see("? keys");
    screen.type("a draft of mine");
    await screen.see("❯ a draft of mine");
    screen.press("ctrl+c");
    screen.type("go\r");
    await screen.reach("main");
    await screen.see("? keys");
    screen.type("/tasks\r");
    await screen.see(/> 1 looker +general-purpose .*running/);
    await screen.see("m message · s stop · b background · r result · d remove");
    screen.press("enter");
    await screen.see("── /tasks show");
    await screen.see("CHILD look");
    screen.press("escape");
    await screen.see(/> 1 looker/);
    screen.type("b");
    await screen.see("It is already in the background");
    screen.press("escape");
    await screen.see(/> 1 looker/);
    screen.type("r");
    await screen.lose("m message · s stop");
    screen.press("escape");
    await screen.see(/> 1 looker/);
    screen.type("m");
    await screen.see("❯ /tasks message looker");
    screen.press("ctrl+c");
    screen.type("/tasks\r");
    await screen.see(/> 1 looker/);
    screen.type("s");
    await screen.reach("Stopped: looker.");
    await screen.see(/> 1 looker .*cancelled/);
    screen.type("m");
    await screen.see("It has ended.");
    screen.press("escape");
    await screen.see(/> 1 looker/);
    screen.type("d");
    await screen.see("No tasks yet.");
    held.open();
  });
});

describe("/memory", () => {
  it("F57 what waits for review is accepted with a; e puts the edit into the editor, where it is sent", async () => {
    const { place } = await scene(() => text("fine"));
    gitInit(place);
    await allowMemory(place);
    const id = await pending(place, "I like tabs.");
    const screen = openScreen(place, size);
    await screen.see("? keys");
    screen.type("/memory\r");
    await screen.see(/1 to review/);
    await screen.see(/I like tabs\. .*pending/);
    screen.press("enter");
    await screen.see("a accepts it · x rejects it · r replaces an older one · e edits it · d deletes it");
    screen.type("a");
    await screen.reach(`Accepted ${id}`);
    await screen.lose("pending");
    screen.press("enter");
    await screen.see("u votes up");
    screen.type("e");
    await screen.see(/❯ \/memory edit mem_\w+ --fact "I like tabs\."/);
    screen.press("backspace", "backspace");
    screen.type(' a lot."\r');
    await expect.poll(async () => (await list(place)).map(({ fact }) => fact)).toEqual(["I like tabs a lot."]);
  });
});

describe("/graph and an unknown event", () => {
  it("F60 facts with since when and where from; Enter shows one whole, e all about its subject", async () => {
    const place = repository({ EVERLONG_MODEL: "offline" });
    const added = await run(place, ["graph", "add", "Alice", "works_at", "Acme"]);
    expect(added.code, added.stderr).toBe(0);
    const screen = openScreen(place, size);
    await screen.see("? keys");
    screen.type("/graph\r");
    await screen.see(/> 1 .*Alice.*Acme.* since 20\d\d-/);
    screen.press("enter");
    await screen.see(/True since/);
    screen.type("e");
    await screen.see("Now:");
    screen.press("escape");
    await screen.see(/True since/);
  });

  it("FB9 an event that a newer version wrote is shown on a resume, folded, and never dropped", async () => {
    const { place } = await scene(() => text("fine"));
    await run(place, ["-p", "first question"]);
    const [id = ""] = sessionsOf(place);
    const event = { id: "u1", type: "future.thing", timestamp: "2030-01-01T00:00:00Z", parentId: null, data: { n: 7 } };
    appendFileSync(join(place.home, "sessions", id, "events.jsonl"), `${JSON.stringify(event)}\n`);
    const screen = openScreen(place, { ...size, args: ["--continue"] });
    await screen.see("first question");
    await screen.see(/event +future\.thing/);
    await screen.see("? keys");
  });
});
