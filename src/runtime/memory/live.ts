// /memory of an open session: how memory stands, the switch, what the model sees, and the verbs on the session's own strategy.

import { ok } from "../../base/result.ts";
import { strategyKind } from "../../memory/record/choose.ts";
import type { CommandResult } from "../client.ts";
import type { LiveSession } from "../session/live-session.ts";
import { setSetting } from "../settings-command.ts";
import { REM_AGENT } from "../sidekick/sidekicks.ts";
import { deskOn, type Hands, type MemoryClient, type MemoryVerb, runVerb } from "./client.ts";
import { type Desk, recordsOf } from "./desk.ts";
import { isShown } from "./shown.ts";
import { strategySettings } from "./strategy.ts";
import { listText } from "./text.ts";

/** After these the section must not say what is no longer so. */
const CHANGING: readonly MemoryVerb[] = ["edit", "delete", "vote", "review", "undo"];

export function liveMemoryClient(live: LiveSession): MemoryClient {
  return {
    status: () => status(live),
    switch: (on) => switchMemory(live, on),
    show: (query) => show(live, query),
    async command(call) {
      const done = await runVerb(await deskOf(live), call, handsOf(live));
      if (done.ok && CHANGING.includes(call.verb)) await live.memory.newEpoch();
      return done;
    },
  };
}

/** While memory is off, its events stay away too. */
async function deskOf(live: LiveSession): Promise<Desk> {
  const { workspace, session } = live;
  const records = await live.memory.records();
  const { onStore, onVote, onChanged, ...quiet } = records.write;
  return deskOn(workspace, {
    parts: live.memory.enabled() ? records.write : quiet,
    place: records.place,
    cwd: session.state.context.cwd,
    source: { client: "cli", sessionId: session.id },
  });
}

/** The person at the face, where there is one. */
function handsOf({ options: { prompts }, stopping }: LiveSession): Hands {
  const { question } = prompts;
  if (!question) return {};
  const { signal } = stopping;
  return {
    ask: (text) => question({ question: text, allowFreeform: true }, signal),
    confirm: async (text) =>
      (await question({ question: text, choices: ["yes", "no"], allowFreeform: false }, signal)) === "yes",
  };
}

async function status(live: LiveSession): Promise<CommandResult> {
  const { enabled, strategy, why, pending, lastFailure } = await live.memory.status(live.stopping.signal);
  if (!enabled)
    return ok(
      "Memory is off (memory.enabled). What is stored stays; /memory list shows it, /memory on switches it on.",
    );
  const desk = await deskOf(live);
  const found = await recordsOf(desk, {}, { status: ["active"] });
  const records = found.ok ? found.value.records : [];
  const ofUser = records.filter(({ scope }) => scope === "user").length;
  const { repository = "this folder" } = desk.place;
  return ok(
    [
      "Memory is on (memory.enabled).",
      `Kept by: ${strategy || strategyKind(strategySettings(live.workspace))}${why === undefined ? "" : `, not in use: ${why}`}`,
      found.ok ? `For ${repository}: ${records.length - ofUser}; for you: ${ofUser}` : found.error.what,
      pending > 0 ? `Waiting for you: ${pending}; /memory review shows them` : "Waiting for you: none",
      `Last failure: ${lastFailure ? `${lastFailure.code} at ${lastFailure.at}` : "none"}`,
    ].join("\n"),
  );
}

/** In the user's settings, and at once: tools and section are gone with the next request, sidekicks and consolidation now. */
async function switchMemory(live: LiveSession, on: boolean): Promise<CommandResult> {
  const written = await setSetting("memory.enabled", String(on));
  if (!written.ok) return written;
  await live.reloadSettings();
  if (!on) await Promise.all([live.sidekicks.cancel("memory_off"), stopConsolidation(live), live.memory.newEpoch()]);
  if (live.memory.enabled() !== on)
    return ok(`memory.enabled is ${on} in your settings, but something stronger says ${!on} here: see /settings.`);
  return ok(
    on
      ? "Memory is on, from the next message on."
      : "Memory is off from now on. What is stored stays: /memory list shows it, /memory delete erases it.",
  );
}

/** Also one that a subagent started. */
async function stopConsolidation({ agents }: LiveSession): Promise<void> {
  const ids = agents.registry.list().flatMap(({ id, agentType, status }) => {
    const isOpen = status === "running" || status === "idle";
    return agentType === REM_AGENT && isOpen ? [id] : [];
  });
  await agents.cancel(ids, "memory off");
}

async function show(live: LiveSession, query: string): Promise<CommandResult> {
  if (live.memory.enabled() && live.memory.section() === "") await live.memory.newEpoch();
  const section = live.memory.section();
  const desk = await deskOf(live);
  const found = await recordsOf(desk, {}, query === "" ? {} : { text: query });
  if (!found.ok) return found;
  const { records } = found.value;
  const lines = section === "" ? [] : (await live.memory.records()).lines();
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
