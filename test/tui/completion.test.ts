// Completion in the terminal: commands behind a slash, paths behind an @, and what is sent for a path.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scene } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { openScreen } from "./screen.ts";

async function stage() {
  const scenery = await scene(() => text("fine"));
  const { folder } = scenery.place;
  mkdirSync(join(folder, "src/auth"), { recursive: true });
  mkdirSync(join(folder, "out"), { recursive: true });
  writeFileSync(join(folder, "src/auth/login.ts"), "one\ntwo\nthree\nfour\n");
  writeFileSync(join(folder, "src/main.ts"), "start\n");
  writeFileSync(join(folder, ".gitignore"), "out/\n");
  writeFileSync(join(folder, "out/secret-plan.txt"), "hidden\n");
  return { ...scenery, screen: openScreen(scenery.place, { columns: 100, rows: 30 }) };
}

/** What the model got as the first prompt. */
function promptOf(server: Awaited<ReturnType<typeof scene>>["server"]): string {
  const { messages } = server.requests[0]!.body as { messages: { role: string; content: string }[] };
  return messages.findLast(({ role }) => role === "user")?.content ?? "";
}

describe("F34 commands", () => {
  it("F34 a slash lists commands with their help; letters narrow it, tab completes, a wrong name is not sent", async () => {
    const { screen, server } = await stage();
    await screen.see("? keys");
    screen.type("/");
    await screen.see(/> \/\w+/);
    screen.type("cont");
    await screen.see(/> \/context/);
    screen.press("tab");
    await screen.see("❯ /context");
    screen.press("ctrl+c");
    await screen.lose("❯ /context");
    screen.type("/zzz");
    await screen.see("❯ /zzz");
    screen.press("enter");
    await screen.reach("/zzz is not a command.");
    await screen.reach("start with a space");
    expect(server.requests).toHaveLength(0);
  });
});

describe("F33 paths", () => {
  it("F33 an @ finds files by a few letters, ignored ones only when typed whole; the file goes along", async () => {
    const { screen, server } = await stage();
    await screen.see("? keys");
    screen.type("explain @logi");
    await screen.see("> src/auth/login.ts");
    screen.press("enter");
    await screen.see("explain @src/auth/login.ts");
    screen.type("and @secret");
    await screen.see("and @secret");
    await screen.lose("secret-plan");
    for (const _ of "secret") screen.press("backspace");
    screen.type("out/secret-plan.txt");
    await screen.see("> out/secret-plan.txt");
    screen.press("tab");
    screen.type("@src/auth/login.ts#L2-3 ");
    screen.press("enter");
    await screen.reach("fine");
    const sent = promptOf(server);
    expect(sent).toContain('uri="src/auth/login.ts">\none\ntwo\nthree');
    expect(sent).toContain('uri="src/auth/login.ts#L2-3">\ntwo\nthree\n</');
    expect(sent).toContain("hidden");
  });

  it("F33 a name that is no file is text, and an image that the model cannot see is named", async () => {
    const { place, screen, server } = await stage();
    writeFileSync(join(place.folder, "shot.png"), Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1"));
    await screen.see("? keys");
    screen.type("ask @nobody about @shot.png, please");
    screen.press("enter");
    await screen.reach("fine");
    await screen.reach("cannot see images");
    const sent = promptOf(server);
    expect(sent).toContain("@nobody");
    expect(sent).not.toContain("attached_resource");
  });
});
