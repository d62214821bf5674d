// Inside real tmux: typing, an answer, a resize by another size of window, /background named, and what tmux keeps in its history.
import { execFileSync, spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { scene } from "../agent/scene.ts";
import { bin } from "../agent/terminal.ts";
import { text } from "../model-server/reply.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

it.skipIf(!hasTmux)(
  "F72 F12 F69 in tmux: every line once after a resize, no copy of the status line, a clean end",
  async () => {
    const answer = Array.from({ length: 60 }, (_, at) => `- item n${at}n`).join("\n");
    const { place } = await scene([text(answer)]);
    const socket = `everlong-test-${process.pid}-${Date.now()}`;
    const tmux = (...args: string[]) =>
      execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
    onTestFinished(() => {
      spawnSync("tmux", ["-L", socket, "kill-server"]);
    });
    const env = {
      ...place.env,
      HOME: dirname(place.home),
      EVERLONG_HOME: place.home,
      OLLAMA_HOST: "http://127.0.0.1:9",
      EVERLONG_CONSOLIDATE_ON_EXIT: "false",
      LANG: "C.UTF-8",
    };
    const variables = Object.entries(env).map(([name, value]) => `${name}='${value}'`);
    const program = `cd '${place.folder}' && env ${variables.join(" ")} '${process.execPath}' '${bin}'; echo left-with-$?; exec sleep 600`;
    tmux("new-session", "-d", "-x", "80", "-y", "24", program);
    const seen = () => tmux("capture-pane", "-p", "-S", "-", "-J");
    await expect.poll(seen).toContain("· session ");
    tmux("send-keys", "-l", "write it");
    await expect.poll(seen).toContain("❯ write it");
    tmux("send-keys", "Enter");
    await expect.poll(seen).toContain("n59n");
    await expect.poll(seen).toContain("? keys");
    for (const [columns, rows] of [
      ["60", "20"],
      ["100", "30"],
      ["80", "24"],
    ] as const) {
      tmux("resize-window", "-x", columns, "-y", rows);
      // Before the program has drawn for this size, tmux shows its rules wrapped or short.
      const rules = () =>
        tmux("capture-pane", "-p")
          .split("\n")
          .filter((line) => line.startsWith("─"))
          .map((line) => line.length);
      await expect.poll(rules).toEqual([Number(columns), Number(columns)]);
    }
    const numbers = [...seen().matchAll(/n(\d+)n/g)].map((match) => Number(match[1]));
    expect(numbers).toEqual(Array.from({ length: 60 }, (_, at) => at));
    expect(
      seen()
        .split("\n")
        .filter((line) => line.startsWith("interactive ·")),
    ).toHaveLength(1);
    tmux("send-keys", "C-d");
    await expect.poll(seen).toContain("left-with-0");
    expect(seen()).toContain("Resume with: everlong --resume");
  },
);
