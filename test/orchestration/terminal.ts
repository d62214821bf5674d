// A terminal that is ready to be typed into, and the way out of it.
import { expect } from "vitest";
import { openTerminal, type Terminal } from "../agent/terminal.ts";
import type { Place } from "../tool/everlong.ts";

export async function at(place: Place, args: string[] = []): Promise<Terminal> {
  const terminal = openTerminal(place, args);
  await terminal.see("Type a message");
  return terminal;
}

export async function leave(terminal: Terminal): Promise<void> {
  terminal.type("/exit");
  expect(await terminal.exit).toBe(0);
}
