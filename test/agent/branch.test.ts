// A branch that changes while a session is open: the log says so, and the next request is told the truth.
import { execFileSync } from "node:child_process";
import { afterEach, expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { logOf, only, placeFor } from "../tool/everlong.ts";
import { gitInit } from "./scene.ts";
import { openTerminal } from "./terminal.ts";

let server: ModelServer;
afterEach(() => server.close());

it("A4.3 another branch is told with the next turn, once; a commit alone changes nothing", async () => {
  server = await startModelServer();
  let turn = 0;
  server.always(() => text(`answer ${++turn}.`));
  const place = placeFor(server);
  gitInit(place);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: place.folder });
  const terminal = openTerminal(place, ["--trust-folder"]);
  await terminal.see("> ");
  terminal.type("one");
  await terminal.see("answer 1.");
  git("commit", "-q", "--allow-empty", "-m", "first");
  terminal.type("two");
  await terminal.see("answer 2.");
  git("checkout", "-q", "-b", "topic/zebra");
  terminal.type("three");
  await terminal.see("answer 3.");
  terminal.type("four");
  await terminal.see("answer 4.");
  terminal.type("/exit");
  expect(await terminal.exit).toBe(0);
  const told = server.requests.map(({ body }) => /Branch: (\S+?)\\n/.exec(JSON.stringify(body))?.[1]);
  expect(told).toEqual(["main", "main", "topic/zebra", "topic/zebra"]);
  const changes = only(logOf(place), "session.context_changed");
  expect(changes.map((e) => e.data.context.branch)).toEqual(["topic/zebra"]);
});
