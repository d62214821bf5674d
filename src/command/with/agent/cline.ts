// Cline: a private copy of its provider settings in which the OpenAI-compatible entry leads to the gateway.
import { join } from "node:path";
import { isRecord, parseJson } from "../../../base/json.ts";
import { fail, ok } from "../../../base/result.ts";
import { badBase, rootFor, usable } from "../base.ts";
import { standInKey } from "../key.ts";
import { quoted } from "../quoted.ts";
import { type AgentRow, pastGateway, refusal, set, type User } from "../row.ts";

const PATH = "CLINE_PROVIDER_SETTINGS_PATH";
const BACKEND = "CLINE_SESSION_BACKEND_MODE";
const HUB = "CLINE_HUB_DISCOVERY_PATH";
const ENTRY = "openai-compatible";

type Tree = Record<string, unknown>;

export const cline: AgentRow = {
  command: "cline",
  install: "npm install -g cline",
  ownFlags: ["--json"],
  bases(user) {
    const base = entryOf(settingsOf(user))?.["baseUrl"];
    if (typeof base !== "string" || base.trim() === "") return ok([]);
    return usable(base)
      ? ok([{ name: "openai", vendor: "openai", url: base }])
      : fail(badBase(`${settingsPath(user)}, provider ${ENTRY},`));
  },
  plan(request) {
    const settings = settingsOf(request);
    const entry = entryOf(settings);
    if (!settings || !entry) return fail(noEntry(settingsPath(request)));
    const own = typeof entry["baseUrl"] === "string" ? entry["baseUrl"] || undefined : undefined;
    const key = entry["apiKey"] ? undefined : standInKey(request, "openai", own);
    const ours = {
      ...entry,
      ...(key === undefined ? {} : { apiKey: key }),
      baseUrl: `${rootFor(request, "openai", own)}/v1`,
    };
    const mode = set(request.env, BACKEND);
    if (mode !== undefined && mode !== "local")
      return fail(pastGateway("cline", `${BACKEND}=${mode} runs sessions in cline's hub`, `Unset ${BACKEND}.`));
    const path = join(request.launch, "cline.json");
    const address = `s|"baseUrl"\\([^"]*\\)"[^"]*"|"baseUrl"\\1"${ours.baseUrl}"|`;
    return ok({
      env: {
        [PATH]: path,
        // The hub is a daemon: one that is there has settings of its own, one that this run started would outlive it with
        // these. The terminal interface does not heed the mode, but where no file can be it neither finds nor starts a hub.
        ...(mode === undefined ? { [BACKEND]: "local" } : {}),
        [HUB]: join(path, "no-hub"),
      },
      files: [
        {
          ...{ path, mode: 0o600, text: `${JSON.stringify(withEntry(settings, ours), undefined, 2)}\n` },
          shell: `sed ${quoted(address)} ${quoted(settingsPath(request))}`,
        },
      ],
      secrets: keysIn(settings),
    });
  },
};

function settingsPath({ env, home }: User): string {
  const data = set(env, "CLINE_DATA_DIR") ?? join(set(env, "CLINE_DIR") ?? join(home, ".cline"), "data");
  return set(env, PATH) ?? join(data, "settings", "providers.json");
}

function settingsOf(user: User): Tree | undefined {
  const parsed = parseJson(user.read(settingsPath(user)) ?? "");
  return parsed.ok && isRecord(parsed.value) ? parsed.value : undefined;
}

function entryOf(settings: Tree | undefined): Tree | undefined {
  const providers = settings?.["providers"];
  const entry = isRecord(providers) ? providers[ENTRY] : undefined;
  return isRecord(entry) && isRecord(entry["settings"]) ? entry["settings"] : undefined;
}

function withEntry(settings: Tree, entry: Tree): Tree {
  const providers = settings["providers"] as Tree;
  const whole = providers[ENTRY] as Tree;
  return { ...settings, providers: { ...providers, [ENTRY]: { ...whole, settings: entry } } };
}

/** Whatever in the file is called a key, a token or a secret. */
function keysIn(value: unknown, name = ""): string[] {
  if (typeof value === "string") return /key|token|secret|password/i.test(name) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((one) => keysIn(one, name));
  return isRecord(value) ? Object.entries(value).flatMap(([key, inner]) => keysIn(inner, key)) : [];
}

const noEntry = (path: string) =>
  refusal(
    "no_entry",
    `${path} has no provider "${ENTRY}".`,
    `Make one: cline auth -p ${ENTRY} -k KEY -m MODEL -b https://api.openai.com/v1`,
  );
