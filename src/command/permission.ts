// /plan, /permissions, /allow-all, /add-dir: what the agent may do.
import { commandUsage } from "../base/failure.ts";
import { fail, ok } from "../base/result.ts";
import type { PermissionList } from "../runtime/client.ts";
import { describe, output, type SlashCommand } from "./contract.ts";

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
      const on = "Plan mode is on: nothing changes until you accept the plan.";
      return text === "" ? output(on) : ok({ text: on, send: text });
    },
  },
};

export const permissions: SlashCommand = {
  name: "permissions",
  summary: "show permission rules and approvals",
  slash: {
    usage: "[reset session|location]",
    async run(text, client) {
      if (text === "") return output(permissionText(await client.permissions.list()));
      const [verb, scope] = text.split(/\s+/);
      if (verb !== "reset" || (scope !== "session" && scope !== "location")) {
        const next = "Try /permissions reset session or /permissions reset location.";
        return fail(commandUsage(`/permissions does not take "${text}".`, next));
      }
      return describe(await client.permissions.reset(scope), () => `Removed the approvals for this ${scope}.`);
    },
  },
};

const permissionText = ({ allowAll, rules, folders, sandbox }: PermissionList): string =>
  [
    `allow-all is ${allowAll ? "on" : "off"}`,
    ...(rules.length > 0 ? rules.map((r) => `${r.list.padEnd(5)} ${r.rule}  (${r.origin})`) : ["no rules"]),
    `folders: ${folders.join(", ")}`,
    sandbox,
  ].join("\n");

export const allowAll: SlashCommand = {
  name: "allow-all",
  summary: "allow everything except what a rule forbids",
  slash: {
    usage: "[on|off|show]",
    async run(text, client) {
      if (text === "on" || text === "off") await client.permissions.setAllowAll(text === "on");
      else if (text !== "" && text !== "show")
        return fail(commandUsage(`/allow-all takes on, off or show, not "${text}".`, "Try /allow-all show."));
      return output(
        client.view().allowAll
          ? "allow-all is on: everything is allowed except what a rule denies or asks about, or a guard stops."
          : "allow-all is off.",
      );
    },
  },
};

export const addDir: SlashCommand = {
  name: "add-dir",
  summary: "let the agent work in another folder",
  slash: {
    usage: "PATH",
    run: async (path, client) =>
      describe(
        client.permissions.addFolder(path),
        (folder) => `The agent may now work in ${folder} too, for this session.`,
      ),
  },
};
