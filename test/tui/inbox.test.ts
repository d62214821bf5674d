// A sidekick's message on the screen: the block, the count in the status line, the panel, and silence once memory is off.
import { expect, it } from "vitest";
import { oneCall } from "../agent/scene.ts";
import { addItem, cast, ended, forwarder } from "../memory/sidekick-scene.ts";
import { text } from "../model-server/reply.ts";
import { openScreen } from "./screen.ts";

const CONTENT = "Publish the release with the script in tools.";

it("FE7 F21 F28 F59 an entry is announced with its sender and counted; /inbox shows it; read by the model it is gone; memory off ends it", async () => {
  const { side, sent } = forwarder("release-steps", CONTENT);
  let entryId = "";
  const stage = await cast(async (request, step) => {
    if (step === 0) {
      await sent;
      await ended(stage.place);
      return text("first answer");
    }
    if (step === 1) {
      entryId = /subconscious-agent-[0-9a-f-]{36}/.exec(JSON.stringify(request.body))?.[0] ?? "";
      return oneCall("read_inbox", { entry_id: entryId });
    }
    return text(`answer ${step}`);
  }, side);
  await addItem(stage.place, "release-steps", CONTENT);
  const screen = openScreen(stage.place, { columns: 110, rows: 34 });
  await screen.see("? keys");
  screen.type("how do we publish a release of this project?\r");
  await screen.see("first answer");
  await screen.see("inbox 1");
  screen.type("/inbox\r");
  await screen.see("what the board says about releases");
  // Opened by the person, it is still unread for the agent.
  screen.press("enter");
  await screen.see(CONTENT);
  await screen.see("inbox 1");
  screen.press("escape");
  await screen.lose(CONTENT);
  screen.press("escape");
  await screen.lose("/inbox");
  screen.type("go on\r");
  await screen.see("answer 2");
  await screen.reach(/inbox.*subconscious-agent.*what the board says about releases/s);
  await screen.lose("inbox 1");
  expect(entryId).not.toBe("");
  screen.type("/memory off\r");
  await screen.see("memory off");
  const before = stage.side().length;
  screen.type("and how do we publish a release?\r");
  await screen.see("answer 3");
  expect(stage.side()).toHaveLength(before);
  const { tools } = (stage.main().at(-1)?.body ?? {}) as { tools?: unknown };
  expect(JSON.stringify(tools)).not.toMatch(/context_board|read_inbox/);
});
