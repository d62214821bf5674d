// `/pin`, and `everlong recall --pin|--pins|--unpin`: instructions that the agent keeps seeing.
import type { Pin } from "../runtime/client/pin.ts";
import type { SharedAccess } from "../runtime/client.ts";
import { type CommandOutcome, describe, type SlashCommand } from "./contract.ts";

export type PinOptions = { pin?: string; pins?: boolean; unpin?: string; scope?: string };

/** Undefined: nothing about pins is wanted. */
export function runPins(
  on: SharedAccess,
  { pin, pins, unpin, scope }: PinOptions,
): Promise<CommandOutcome> | undefined {
  if (pin !== undefined) return addPin(on, pin, scope);
  if (unpin !== undefined) return endPin(on, unpin);
  return pins ? listPins(on) : undefined;
}

export const pin: SlashCommand = {
  name: "pin",
  summary: "pin an instruction for this session; without text list pins, or remove one",
  slash: {
    usage: "[TEXT|ID] | remove ID",
    async run(text, client) {
      const [, id] = /^remove\s+(\S+)$/.exec(text) ?? [];
      if (id !== undefined) return endPin(client, id);
      return text.trim() === "" ? listPins(client) : addPin(client, text);
    },
  },
};

const addPin = async (on: SharedAccess, text: string, scope?: string): Promise<CommandOutcome> =>
  describe(await on.pins((pins) => pins.add(text, scope)), (added) => ({
    data: added,
    text: `Pinned ${WHERE[added.level]} as ${added.id}.`,
  }));

const endPin = async (on: SharedAccess, id: string): Promise<CommandOutcome> =>
  describe(await on.pins((pins) => pins.end(id)), (ended) => ({ data: ended, text: `Unpinned: ${ended.text}` }));

const listPins = async (on: SharedAccess): Promise<CommandOutcome> =>
  describe(await on.pins((pins) => pins.list()), (rows) => ({
    data: { pinned: rows },
    text: rows.map(pinLine).join("\n") || "Nothing is pinned here.",
  }));

const WHERE: Readonly<Record<Pin["level"], string>> = {
  session: "for this session",
  repository: "for this repository",
  user: "for all your projects",
};

const pinLine = ({ id, text, level, createdAt, session, turn }: Pin): string =>
  `${id}  ${text}  (${level}, ${createdAt.slice(0, 10)}${turn === undefined ? "" : `, ${session?.slice(0, 8)}:t${turn}`})`;
