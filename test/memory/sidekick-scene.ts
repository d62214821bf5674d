// A main agent and the sidekick of the board, each with its own script; who asks is told by the request's own header.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { oneCall, type Scene, type SceneOptions, scene, until } from "../agent/scene.ts";
import type { Recorded } from "../model-server/recorded.ts";
import { type Reply, text } from "../model-server/reply.ts";
import { type Finished, logOf, type Place, run } from "../tool/everlong.ts";

type Part = (request: Recorded, step: number) => Reply | Promise<Reply>;

export const isSidekick = (request: Recorded): boolean =>
  request.headers["x-interaction-type"] === "conversation-sidekick";

export type Cast = Scene & { main: () => Recorded[]; side: () => Recorded[] };

export async function cast(main: Part, side: Part, options: SceneOptions = {}): Promise<Cast> {
  const steps = { main: 0, side: 0 };
  const made = await scene((request) => {
    return isSidekick(request) ? side(request, steps.side++) : main(request, steps.main++);
  }, options);
  return {
    ...made,
    main: () => made.server.requests.filter((r) => !isSidekick(r)),
    side: () => made.server.requests.filter(isSidekick),
  };
}

/** A door that one script opens and another waits at. */
export function door(): { open: () => void; opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

export async function addItem(place: Place, name: string, content: string, description = `About ${name}`) {
  const file = join(place.folder, "..", "item.txt");
  writeFileSync(file, content);
  const done = await run(place, ["board", "add", name, "--description", description, "-f", file]);
  expect(done.code, done.stderr).toBe(0);
}

export const get = (name: string): Reply => oneCall("context_board", { command: "get", src: "user", name });
export const send = (content: string, summary = "what the board says about releases"): Reply =>
  oneCall("send_inbox", { summary, content });

/** Fetches the item, sends what it is told to, and says when that is done. */
export function forwarder(name: string, content: string): { side: Part; sent: Promise<void> } {
  const { open, opened } = door();
  const side: Part = (_request, step) => {
    if (step === 0) return get(name);
    if (step === 1) return send(content);
    open();
    return text("done");
  };
  return { side, sent: opened };
}

export const streamed = (place: Place, prompt: string, ...more: string[]): Promise<Finished> =>
  run(place, ["-p", prompt, "--output-format", "stream-json", ...more]);

/** Lines that only a board would hold, of that many characters in all. */
export const lines = (length: number): string =>
  Array.from({ length: Math.ceil(length / 50) }, (_, i) =>
    `step ${i} of the release is described in this line`.padEnd(49),
  )
    .join("\n")
    .slice(0, length)
    .trim();

/** The log has the end of that many runs. */
export const ended = (place: Place, runs = 1): Promise<boolean> =>
  until(`the end of ${runs} runs`, () => {
    const ends = logOf(place).filter((e) => /^subagent\.(completed|failed|cancelled)$/.test(e.type));
    return ends.filter((e) => e.agentId?.startsWith("sidekick-")).length >= runs;
  });
