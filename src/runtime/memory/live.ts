// /memory of an open session: how memory stands, the switch, what the model sees, and the verbs on the session's own strategy.

import { consolidates } from "../../agent/catalog/definition.ts";
import { findAgent } from "../../agent/catalog/load.ts";
import { ok } from "../../base/result.ts";
import { strategyKind } from "../../memory/record/choose.ts";
import type { Agents } from "../agent/agents.ts";
import type { CommandResult } from "../command-result.ts";
import type { Extensions } from "../session/extensions.ts";
import type { SessionResources } from "../session/resources.ts";
import { setSetting } from "../settings-command.ts";
import type { Sidekicks } from "../sidekick/sidekicks.ts";
import { reloadSettings } from "../workspace.ts";
import { deskOn, type Hands, type MemoryClient, type MemoryVerb, runVerb } from "./client.ts";
import { type Desk, recordsOf } from "./desk.ts";
import type { SessionMemory } from "./memory.ts";
import { isShown } from "./shown.ts";
import { strategySettings } from "./strategy.ts";
import { listText } from "./text.ts";

export type MemoryClientServices = Pick<SessionResources, "workspace" | "main" | "options" | "stopping"> & {
  memory: SessionMemory;
  agents: Pick<Agents, "registry" | "cancel">;
  sidekicks: Pick<Sidekicks, "cancel">;
  extensions: Pick<Extensions, "catalog">;
};

/** After these the section must not say what is no longer so. */
const CHANGING: readonly MemoryVerb[] = ["edit", "delete", "vote", "review", "undo"];

export function liveMemoryClient(services: MemoryClientServices): MemoryClient {
  return {
    status: () => status(services),
    switch: (on) => switchMemory(services, on),
    show: (query) => show(services, query),
    async command(call) {
      const done = await runVerb(await deskOf(services), call, handsOf(services));
      if (done.ok && CHANGING.includes(call.verb)) await services.memory.newEpoch();
      return done;
    },
  };
}

/** While memory is off, its events stay away too. */
async function deskOf(services: MemoryClientServices): Promise<Desk> {
  const { workspace, main } = services;
  const records = await services.memory.records();
  const { onStore, onVote, onChanged, ...quiet } = records.write;
  return deskOn(workspace, {
    parts: services.memory.enabled() ? records.write : quiet,
    place: records.place,
    cwd: main.state.context.cwd,
    source: { client: "cli", sessionId: main.id },
  });
}

/** The person at the face, where there is one. */
function handsOf({ options: { prompts }, stopping }: MemoryClientServices): Hands {
  const { question } = prompts;
  if (!question) return {};
  const { signal } = stopping;
  return {
    ask: (text) => question({ question: text, allowFreeform: true }, signal),
    confirm: async (text) =>
      (await question({ question: text, choices: ["yes", "no"], allowFreeform: false }, signal)) === "yes",
  };
}

async function status(services: MemoryClientServices): Promise<CommandResult> {
  const { enabled, strategy, why, pending, lastFailure } = await services.memory.status(services.stopping.signal);
  if (!enabled)
    return ok(
      "Memory is off (memory.enabled). What is stored stays; /memory list shows it, /memory on switches it on.",
    );
  const desk = await deskOf(services);
  const found = await recordsOf(desk, {}, { status: ["active"] });
  const records = found.ok ? found.value.records : [];
  const ofUser = records.filter(({ scope }) => scope === "user").length;
  const { repository = "this folder" } = desk.place;
  return ok(
    [
      "Memory is on (memory.enabled).",
      `Kept by: ${strategy || strategyKind(strategySettings(services.workspace))}${why === undefined ? "" : `, not in use: ${why}`}`,
      found.ok ? `For ${repository}: ${records.length - ofUser}; for you: ${ofUser}` : found.error.what,
      pending > 0 ? `Waiting for you: ${pending}; /memory review shows them` : "Waiting for you: none",
      `Last failure: ${lastFailure ? `${lastFailure.code} at ${lastFailure.at}` : "none"}`,
    ].join("\n"),
  );
}

/** In the user's settings, and at once: tools and section are gone with the next request, sidekicks and consolidation now. */
async function switchMemory(services: MemoryClientServices, on: boolean): Promise<CommandResult> {
  const written = await setSetting("memory.enabled", String(on));
  if (!written.ok) return written;
  await reloadSettings(services.workspace, services.options);
  if (!on)
    await Promise.all([
      services.sidekicks.cancel("memory_off"),
      stopConsolidation(services),
      services.memory.newEpoch(),
    ]);
  if (services.memory.enabled() !== on)
    return ok(`memory.enabled is ${on} in your settings, but something stronger says ${!on} here: see /settings.`);
  return ok(
    on
      ? "Memory is on, from the next message on."
      : "Memory is off from now on. What is stored stays: /memory list shows it, /memory delete erases it.",
  );
}

/** Also one that a subagent started. */
async function stopConsolidation({ agents, extensions }: MemoryClientServices): Promise<void> {
  const ids = agents.registry.list().flatMap(({ id, agentType, status }) => {
    const isOpen = status === "running" || status === "idle";
    const definition = findAgent(extensions.catalog, agentType);
    return definition && consolidates(definition) && isOpen ? [id] : [];
  });
  await agents.cancel(ids, "memory off");
}

async function show(services: MemoryClientServices, query: string): Promise<CommandResult> {
  if (services.memory.enabled() && services.memory.section() === "") await services.memory.newEpoch();
  const section = services.memory.section();
  const desk = await deskOf(services);
  const found = await recordsOf(desk, {}, query === "" ? {} : { text: query });
  if (!found.ok) return found;
  const { records } = found.value;
  const lines = section === "" ? [] : (await services.memory.records()).lines();
  const seen =
    query === ""
      ? section
      : lines
          .filter((l) => records.some((r) => isShown(r, l)))
          .map((l) => l.text)
          .join("\n");
  const rest = records.filter((record) => !lines.some((line) => isShown(record, line)));
  return ok(
    [
      seen === "" ? "The model sees no memories." : seen,
      ...(rest.length > 0 ? ["", "Not seen by the model:", listText(rest, desk.now())] : []),
    ].join("\n"),
  );
}
