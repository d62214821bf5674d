// `/memory` without a verb: how memory stands in this session, its switch, and what the model sees.
import type { Client } from "../../runtime/client.ts";
import { type CommandOutcome, output } from "../contract.ts";
import { listText } from "./text.ts";

export async function memoryStatus(client: Client): Promise<CommandOutcome> {
  const { enabled, strategy, why, pending, lastFailure } = await client.memorySection.status();
  if (!enabled)
    return output(
      "Memory is off (memory.enabled). Stored memories are kept: /memory list shows them, /memory on turns memory on.",
    );
  return client.memory(async (memory) => {
    const page = await memory.list({}, { status: "active" });
    const records = page.ok ? page.value.records : [];
    const ofUser = records.filter(({ scope }) => scope === "user").length;
    const repository = memory.repositoryOf({}) ?? "this folder";
    return output(
      [
        "Memory is on (memory.enabled).",
        `Strategy: ${strategy}${why === undefined ? "" : ` (not in use: ${why})`}`,
        page.ok ? `Memories: ${records.length - ofUser} for ${repository}, ${ofUser} for you` : page.error.what,
        pending > 0 ? `To review: ${pending} (/memory review)` : "To review: 0",
        `Last failure: ${lastFailure ? `${lastFailure.code} at ${lastFailure.at}` : "none"}`,
      ].join("\n"),
    );
  });
}

export async function switchMemory(client: Client, on: boolean): Promise<CommandOutcome> {
  const now = await client.memorySection.switch(on);
  if (!now.ok) return now;
  if (now.value !== on)
    return output(
      `memory.enabled is now ${on} in your settings, but ${!on} here: another source overrides it. See /settings.`,
    );
  return output(
    on
      ? "Memory is on from your next message."
      : "Memory is off. Stored memories are kept: /memory list shows them, /memory delete deletes them.",
  );
}

export async function showVisible(client: Client, words: string): Promise<CommandOutcome> {
  const visible = await client.memorySection.visible(words);
  if (!visible.ok) return visible;
  const { section, unseen } = visible.value;
  const rest = unseen.length > 0 ? ["", "Not seen by the model:", listText(unseen, Date.now())] : [];
  return output([section === "" ? "The model sees no memories." : section, ...rest].join("\n"));
}
