// N47: Ctrl+Z hands the terminal back to the shell, and `fg` goes on, on every Node that starts the program.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { standIn } from "../clients/stand-in.ts";
import { text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { newPlace, type Place, placeFor } from "../tool/everlong.ts";
import { nodes } from "../tool/node.ts";
import { bin, openProgram, type Terminal } from "./terminal.ts";

/** It reads keys itself, as agents do, and stops no other process than its own. */
const AGENT = `
const { stdin } = process;
const ready = () => { stdin.setRawMode(false); stdin.setRawMode(true); console.log("agent-is-" + "ready\\r"); };
stdin.on("data", (keys) => {
  if (keys.includes("q")) process.exit(7);
  if (keys.includes(26)) { stdin.setRawMode(false); process.kill(process.pid, "SIGSTOP"); }
});
process.on("SIGCONT", ready);
ready();
`;

async function serverFor(reply = "PELICAN"): Promise<ModelServer> {
  const server = await startModelServer({ script: () => text(reply) });
  onTestFinished(() => server.close());
  return server;
}

/** An interactive shell: its prompt is a word that nothing else prints. */
async function openShell(place: Place, node: string): Promise<Terminal> {
  place.env["PS1"] = "shell-is-$((40+2))$ ";
  place.env["EVERLONG"] = `${node} ${bin}`;
  const shell = openProgram(place, "bash", ["--norc", "--noprofile", "-i"]);
  await shell.see("shell-is-42$");
  return shell;
}

/** The job is stopped as one, and the shell has the terminal. */
async function suspend(shell: Terminal): Promise<void> {
  shell.press("ctrl+z");
  await shell.see("Stopped");
  await shell.see("shell-is-42$");
  shell.type("echo the shell $((1+1)) answers; jobs -l");
  await shell.see("the shell 2 answers");
  await shell.see("Stopped");
  await shell.see("shell-is-42$");
}

describe.each(nodes)("N47 started with Node $version", ({ path: node }) => {
  it("N47 a conversation is suspended and gone on with, twice", async () => {
    const server = await serverFor();
    const place = placeFor(server);
    const shell = await openShell(place, node);
    shell.type("$EVERLONG --trust-folder");
    await shell.see("Ctrl+D leaves");
    await shell.see("> ");
    for (const word of ["first", "second"]) {
      await suspend(shell);
      shell.type("fg");
      await shell.see("> ");
      shell.type(`tell me of the ${word} zebra`);
      await shell.see("PELICAN");
      expect(server.requests.at(-1)?.rawBody).toContain(`${word} zebra`);
    }
    shell.press("ctrl+d");
    await shell.see("Resume with");
    await shell.see("shell-is-42$");
    shell.type("echo left with $?");
    await shell.see("left with 0");
  });

  it("N47 a question before the conversation is suspended too", async () => {
    const place = placeFor(await serverFor());
    mkdirSync(join(place.folder, ".everlong"));
    writeFileSync(join(place.folder, ".everlong", "settings.json"), '{"permissions":{"allow":["shell(ls)"]}}');
    const shell = await openShell(place, node);
    shell.type("$EVERLONG");
    await shell.see("Your choice: ");
    await suspend(shell);
    shell.type("fg");
    await shell.see("Your choice: ");
    shell.type("3");
    await shell.see("shell-is-42$");
  });

  it("N47 a prompt on the command line is suspended while the model writes, and ends after fg", async () => {
    const server = await serverFor();
    const place = placeFor(server);
    let answer = (): void => undefined;
    const waits = new Promise<void>((resolve) => {
      answer = resolve;
    });
    server.always(async () => {
      await waits;
      return text("PELICAN");
    });
    const shell = await openShell(place, node);
    shell.type("$EVERLONG -p 'what is it?'");
    await expect.poll(() => server.requests.length, { timeout: 60_000 }).toBe(1);
    await suspend(shell);
    answer();
    shell.type("fg");
    await shell.see("PELICAN");
    await shell.see("shell-is-42$");
  });

  it("N47 an agent of `with` that stops itself alone takes its launcher along", async () => {
    const place = newPlace({ EVERLONG_GATEWAY_PORT: "0" });
    place.env["PATH"] = standIn(place, "claude", AGENT);
    const shell = await openShell(place, node);
    shell.type("$EVERLONG with claude");
    for (let times = 0; times < 2; times++) {
      await shell.see("agent-is-ready");
      await suspend(shell);
      shell.type("fg");
    }
    await shell.see("agent-is-ready");
    shell.type("q");
    await shell.see("shell-is-42$");
    shell.type("echo left with $?");
    await shell.see("left with 7");
  });
});
