// /plan, /permissions, /allow-all, /add-dir: what the agent may do.
import { commandUsage } from "../base/failure.ts";
import { fail, ok } from "../base/result.ts";
import { asText, output, type SlashCommand } from "./contract.ts";

export const plan: SlashCommand = {
  name: "plan",
  summary: "make a plan before changing anything",
  slash: {
    usage: "[TEXT|off]",
    async run(text, client) {
      if (text === "off") {
        await client.mode.set("interactive");
        return output("Plan mode is off.");
      }
      await client.mode.set("plan");
      const on = "Plan mode is on: nothing is changed until the plan is accepted.";
      return text === "" ? output(on) : ok({ text: on, send: text });
    },
  },
};

export const permissions: SlashCommand = {
  name: "permissions",
  summary: "show permission rules and approvals",
  slash: {
    usage: "[reset session|location]",
    run: async (text, client) => asText(await client.permissions(text)),
  },
};

export const allowAll: SlashCommand = {
  name: "allow-all",
  summary: "allow everything except what a rule forbids",
  slash: {
    usage: "[on|off|show]",
    async run(text, client) {
      if (text === "on" || text === "off") await client.setAllowAll(text === "on");
      else if (text !== "" && text !== "show")
        return fail(commandUsage(`/allow-all takes on, off or show, not "${text}".`, "Try /allow-all show."));
      return output(
        client.view().allowAll
          ? "Everything is allowed except what is denied, asked about or guarded."
          : "allow-all is off.",
      );
    },
  },
};

export const addDir: SlashCommand = {
  name: "add-dir",
  summary: "let the agent work in another folder",
  slash: { usage: "PATH", run: async (path, client) => asText(client.addFolder(path)) },
};
