// Gemini CLI: its base URL comes from the environment; how it signs in can only be said in a file.
import { join } from "node:path";
import { isRecord, parseJson } from "../../../base/json.ts";
import { fail, ok } from "../../../base/result.ts";
import { basesIn, rootFor, upstreamFor } from "../base.ts";
import { keyOrToken } from "../key.ts";
import { type Asked, type Row, refusal, set } from "../row.ts";

const BASE = "GOOGLE_GEMINI_BASE_URL";
const KEY = "GEMINI_API_KEY";
const DEFAULTS = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH";
const BY_KEY = "gemini-api-key";

export const gemini: Row = {
  command: "gemini",
  install: "npm install -g @google/gemini-cli",
  bases: basesIn({ gemini: BASE }),
  plan(asked) {
    const { env, gateway } = asked;
    const own = set(env, BASE);
    const keyless = set(env, KEY) === undefined;
    if (keyless && !upstreamFor(gateway, "gemini", own)?.key) return fail(noKey);
    const file = { path: join(asked.launch, "gemini.json"), mode: 0o600, text: `${JSON.stringify(signInByKey)}\n` };
    const ours = set(env, DEFAULTS) === undefined;
    return ok({
      env: {
        [BASE]: rootFor(asked, "gemini", own),
        ...(ours ? { [DEFAULTS]: file.path } : {}),
        ...keyOrToken(asked, "gemini", own, KEY),
      },
      files: ours ? [file] : [],
      notes: signInNotes(asked, ours),
    });
  },
};

const signInByKey = { security: { auth: { selectedType: BY_KEY } } };

const noKey = refusal(
  "no_key",
  `gemini needs ${KEY}: a Google sign-in does not pass a gateway.`,
  `Set ${KEY}, or a key of the gateway's own: EVERLONG_UPSTREAM_GEMINI_KEY.`,
);

function signInNotes({ home, read, exposed, launch }: Asked, ours: boolean): string[] {
  const path = join(home, ".gemini", "settings.json");
  const parsed = parseJson(read(path) ?? "");
  const chosen = parsed.ok ? at(parsed.value, "security", "auth", "selectedType") : undefined;
  if (chosen === BY_KEY) return [];
  if (typeof chosen === "string")
    return [`${path} chooses the sign-in "${chosen}": with another than "${BY_KEY}" gemini does not pass the gateway.`];
  return ours && exposed
    ? [
        `gemini refuses ${launch}, because others can write to a folder above it: choose the API key in gemini by /auth.`,
      ]
    : [];
}

const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);
