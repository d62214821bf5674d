// pi: a launch extension that gives its providers the gateway's address.
import { join } from "node:path";
import { isRecord, parseJson } from "../../../base/json.ts";
import { fail, ok } from "../../../base/result.ts";
import { rootFor } from "../base.ts";
import { argument, pastGateway, type Row, set, type User } from "../row.ts";

/** These manage packages and take no extension. */
const COMMANDS = new Set(["install", "remove", "uninstall", "update", "list", "config"]);

const PROVIDERS = new Set(["anthropic", "openai", "google"]);
const otherProvider =
  "Use --provider openai, anthropic or google; give that server to the gateway as EVERLONG_UPSTREAM_OPENAI.";

/** What pi's own settings choose where no argument does. */
function chosenProvider({ env, home, read }: User): string | undefined {
  const folder = set(env, "PI_CODING_AGENT_DIR") ?? join(home, ".pi", "agent");
  const parsed = parseJson(read(join(folder, "settings.json")) ?? "");
  const chosen = parsed.ok && isRecord(parsed.value) ? parsed.value["defaultProvider"] : undefined;
  return typeof chosen === "string" ? chosen : undefined;
}

export const pi: Row = {
  command: "pi",
  install: "npm install -g @earendil-works/pi-coding-agent",
  ownFlags: ["--print"],
  plan(asked) {
    const { args, launch } = asked;
    if (COMMANDS.has(args[0] ?? "")) return ok({});
    const provider = argument(args, "--provider") ?? chosenProvider(asked);
    if (provider !== undefined && !PROVIDERS.has(provider))
      return fail(pastGateway("pi", `The provider "${provider}" has an address of its own`, otherProvider));
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
