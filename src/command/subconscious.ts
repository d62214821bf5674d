// /subconscious: how the board is kept, and having it brought up to date.
import { commandUsage } from "../base/failure.ts";
import { fail, ok } from "../base/result.ts";
import { output, type SlashCommand } from "./contract.ts";
import { minute } from "./format.ts";

const HOW =
  "To turn it on: /settings features.subconscious true, and /settings memory.enabled true. Takes effect in the next session.";

export const subconscious: SlashCommand = {
  name: "subconscious",
  summary: "show how the board is maintained, or update it now",
  slash: {
    usage: "[run]",
    async run(text, client) {
      if (text !== "" && text !== "run")
        return fail(commandUsage(`/subconscious takes run, not "${text}".`, "Try /subconscious run."));
      const { isOn, prompt } = client.consolidation;
      if (!isOn() && text === "") return output(`The subconscious is off. ${HOW}`);
      if (!isOn()) {
        const what = "The subconscious is off, so it keeps no board.";
        return fail({ code: "subconscious_off", what, data: "Nothing was sent.", next: HOW, exit: 1 });
      }
      if (text === "run") return ok({ text: "", send: prompt() });
      const { place, items, capacity, onExit, lastRun } = await client.consolidation.status();
      const last = lastRun
        ? `Last run ${lastRun.id}: ${lastRun.outcome}, ${minute(lastRun.endedAt)}; ${lastRun.added} added, ${lastRun.pruned} pruned, ${lastRun.refused} refused. To undo: everlong board undo ${lastRun.id}`
        : "No run yet.";
      return output(
        [
          `The subconscious is on. Board of ${place.repository}, branch ${place.branch}: ${items} of ${capacity} items.`,
          `Update the board on exit: ${onExit ? "on" : "off"}. To update it now: /subconscious run`,
          last,
        ].join("\n"),
      );
    },
  },
};
