// The wires that the program speaks. A wire is known once it is registered here, to our own calls and to the gateway.
import { type WireName, wireNames } from "../../schema/model.ts";
import { anthropic } from "./anthropic/wire.ts";
import type { Wire, WireVendor } from "./contract.ts";
import { gemini } from "./gemini/wire.ts";
import { openaiChat } from "./openai-chat/wire.ts";
import { openaiResponses } from "./openai-responses/wire.ts";

/** What a server speaks of which nobody said anything else, and the shape of an error where the wire is not known. */
export const commonWire: Wire = openaiChat;

const byName = new Map<WireName, Wire>();
/** Every request asks for these lists, so they are made when a wire is registered. */
let wires: readonly Wire[] = [];
let vendors: readonly WireVendor[] = [];

export function registerWire(wire: Wire): void {
  byName.set(wire.name, wire);
  wires = [...byName.values()];
  vendors = [...new Set(wires.map(({ vendor }) => vendor))];
  if (!wireNames.includes(wire.name)) wireNames.push(wire.name);
}

for (const wire of [openaiChat, openaiResponses, anthropic, gemini]) registerWire(wire);

export const allWires = (): readonly Wire[] => wires;

/** Throws for a name that is not registered: names are checked where they come in. */
export function wireOf(name: WireName): Wire {
  const wire = byName.get(name);
  if (!wire) throw new Error(`No wire is called ${name}.`);
  return wire;
}

/** How items of a wire are named in logs; a store may hold some of a wire that only another version or thread knows. */
export const logNameOf = (name: WireName): string => byName.get(name)?.logName ?? `dropped_${name}`;

/** Each once, in the order of their wires. */
export const allVendors = (): readonly WireVendor[] => vendors;
