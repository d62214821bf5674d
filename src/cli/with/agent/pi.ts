// pi: a launch extension that gives its providers the gateway's address.
import { join } from "node:path";
import { ok } from "../../../base/result.ts";
import { rootFor } from "../base.ts";
import type { Row } from "../row.ts";

/** These manage packages and take no extension. */
const COMMANDS = new Set(["install", "remove", "uninstall", "update", "list", "config"]);

export const pi: Row = {
  command: "pi",
  install: "npm install -g @earendil-works/pi-coding-agent",
  ownFlags: ["--print"],
  plan(asked) {
    const { args, launch } = asked;
    if (COMMANDS.has(args[0] ?? "")) return ok({});
    const path = join(launch, "pi.ts");
    const providers = {
      anthropic: rootFor(asked, "anthropic", undefined),
      openai: `${rootFor(asked, "openai", undefined)}/v1`,
      google: `${rootFor(asked, "gemini", undefined)}/v1beta`,
    };
    const text = [
      "// Written by `everlong with pi` for one run.",
      "export default function (pi) {",
      `  for (const [name, baseUrl] of Object.entries(${JSON.stringify(providers)}))`,
      "    pi.registerProvider(name, { baseUrl });",
      "}",
      "",
    ].join("\n");
    return ok({ args: ["-e", path, ...args], files: [{ path, mode: 0o600, text }] });
  },
};
