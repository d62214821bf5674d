// Gemini CLI: its base URL comes from the environment; how it signs in can only be said in a file.
import { join } from "node:path";
import { isRecord, parseJson } from "../../../base/json.ts";
import { fail, ok } from "../../../base/result.ts";
import { basesIn, rootFor, upstreamFor } from "../base.ts";
import { keyOrToken } from "../key.ts";
import { type AgentRow, type LaunchRequest, pastGateway, refusal, set, type User } from "../row.ts";

const BASE = "GOOGLE_GEMINI_BASE_URL";
const KEY = "GEMINI_API_KEY";
const DEFAULTS = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH";
const BY_KEY = "gemini-api-key";

export const gemini: AgentRow = {
  command: "gemini",
  install: "npm install -g @google/gemini-cli",
  bases: basesIn({ gemini: BASE }),
  plan(request) {
    const { env, gateway } = request;
    const own = set(env, BASE);
    const keyless = set(env, KEY) === undefined;
    if (keyless && !upstreamFor(gateway, "gemini", own)?.key) return fail(noKey);
    const chosen = signInOf(request);
    if (chosen !== undefined && chosen !== BY_KEY)
      return fail(
        pastGateway(
          "gemini",
          `${settingsPath(request)} signs in by "${chosen}"`,
          "Choose the API key in gemini with /auth.",
        ),
      );
    const file = { path: join(request.launch, "gemini.json"), mode: 0o600, text: `${JSON.stringify(signInByKey)}\n` };
    const ours = set(env, DEFAULTS) === undefined;
    return ok({
      env: {
        [BASE]: rootFor(request, "gemini", own),
        ...(ours ? { [DEFAULTS]: file.path } : {}),
        ...keyOrToken(request, "gemini", own, KEY),
      },
      files: ours ? [file] : [],
      notes: chosen === undefined && ours && request.exposed ? [exposedNote(request)] : [],
    });
  },
};

const signInByKey = { security: { auth: { selectedType: BY_KEY } } };

const noKey = refusal(
  "no_key",
  `gemini needs ${KEY}: a Google sign-in does not work through a gateway.`,
  `Set ${KEY}, or give the gateway its own key: EVERLONG_UPSTREAM_GEMINI_KEY.`,
);

const settingsPath = ({ home }: User): string => join(home, ".gemini", "settings.json");

/** What gemini's own settings choose. */
function signInOf(user: User): string | undefined {
  const parsed = parseJson(user.read(settingsPath(user)) ?? "");
  const chosen = parsed.ok ? at(parsed.value, "security", "auth", "selectedType") : undefined;
  return typeof chosen === "string" ? chosen : undefined;
}

const exposedNote = ({ launch }: LaunchRequest): string =>
  `gemini refuses ${launch}, because others can write to a folder above it: choose the API key in gemini with /auth.`;

const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);
