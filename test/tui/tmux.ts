// The built program inside real tmux: keys, sizes, and all that tmux keeps in its history.
import { execFileSync, spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { spawn } from "@lydell/node-pty";
import { expect, onTestFinished } from "vitest";
import { bin } from "../agent/terminal.ts";
import type { Place } from "../tool/everlong.ts";

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

export function openTmux(place: Place) {
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
  tmux("set-option", "-g", "status", "off");
  const all = () => tmux("capture-pane", "-p", "-S", "-", "-J");
  const rows = () => tmux("capture-pane", "-p").split("\n");
  return {
    all,
    rows,
    send: (...keys: string[]) => tmux("send-keys", ...keys),
    resize: (columns: number, height: number) => tmux("resize-window", "-x", String(columns), "-y", String(height)),
    see: (words: string) => expect.poll(all).toContain(words),
    /** Before the program has drawn for a size, tmux shows its rules wrapped or short. */
    settled: (columns: number) =>
      expect
        .poll(() => rows().flatMap((line) => (line.startsWith("─") ? [line.length] : [])))
        .toEqual([columns, columns]),
    /** What an answer counted, as far as it is there; half a line may have been scrolled away by tmux itself. */
    numbers: () =>
      [
        ...all()
          .replaceAll(/[^a-z0-9]/g, "")
          .matchAll(/n(\d+)n/g),
      ].map((match) => Number(match[1])),
    linesWith: (start: string) =>
      all()
        .split("\n")
        .filter((line) => line.startsWith(start)),
    /** Another window on the same session. */
    attach(columns: number, height: number) {
      const client = spawn("tmux", ["-L", socket, "attach", "-t", "0"], {
        name: "xterm-256color",
        cols: columns,
        rows: height,
        env: { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", TERM: "xterm-256color" },
      });
      onTestFinished(() => client.kill("SIGKILL"));
      return client;
    },
  };
}
