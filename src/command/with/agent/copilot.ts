// Copilot CLI: only with a provider of the user's own; what GitHub routes does not pass a gateway.
import { fail, ok } from "../../../base/result.ts";
import { basesIn, rootFor, upstreamFor } from "../base.ts";
import { type AgentRow, hasFlag, type LaunchRequest, refusal, set, type User } from "../row.ts";

const BASE = "COPILOT_PROVIDER_BASE_URL";
const TYPE = "COPILOT_PROVIDER_TYPE";
const KEY = "COPILOT_PROVIDER_API_KEY";
const OWN_KEYS = [KEY, "COPILOT_PROVIDER_BEARER_TOKEN", "COPILOT_PROVIDER_API_KEY_COMMAND"];
const MODELS = ["COPILOT_MODEL", "COPILOT_PROVIDER_MODEL_ID", "COPILOT_PROVIDER_WIRE_MODEL"];
const VENDOR_KEYS = { openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY" } as const;
type Type = keyof typeof VENDOR_KEYS;
const TYPES = Object.keys(VENDOR_KEYS) as Type[];

export const copilot: AgentRow = {
  command: "copilot",
  install: "npm install -g @github/copilot",
  bases: (user) => basesIn({ [TYPES.find((type) => type === set(user.env, TYPE)) ?? "openai"]: BASE })(user),
  plan(request) {
    const { args, env } = request;
    const chosen = set(env, TYPE);
    if (chosen !== undefined && !Object.hasOwn(VENDOR_KEYS, chosen)) return fail(otherType(chosen));
    const type = (chosen as Type | undefined) ?? typeByKey(request);
    if (type === undefined) return fail(noKey);
    const own = set(env, BASE);
    const key = OWN_KEYS.some((name) => set(env, name)) ? undefined : set(env, VENDOR_KEYS[type]);
    // A server of the user's own may well take requests without a key.
    if (!key && !own && !ownKey(request) && !upstreamFor(request.gateway, type, own)?.key) return fail(noKey);
    if (!MODELS.some((name) => set(env, name)) && !hasFlag(args, "--model")) return fail(noModel);
    const root = rootFor(request, type, own);
    return ok({
      env: {
        [BASE]: type === "openai" ? `${root}/v1` : root,
        [TYPE]: type,
        ...(key === undefined ? {} : { [KEY]: key }),
      },
      secrets: key === undefined ? [] : [key],
    });
  },
};

const ownKey = ({ env }: User): boolean => OWN_KEYS.some((name) => set(env, name));

/** Its own key means OpenAI's habits unless the type says otherwise; else the vendor whose key there is. */
function typeByKey(request: LaunchRequest): Type | undefined {
  if (ownKey(request) || set(request.env, BASE)) return "openai";
  return (
    TYPES.find((type) => set(request.env, VENDOR_KEYS[type])) ??
    TYPES.find((type) => upstreamFor(request.gateway, type, undefined)?.key)
  );
}

const noKey = refusal(
  "no_key",
  "copilot has no provider key, and models routed by GitHub cannot go through a gateway.",
  `Set ${KEY}, OPENAI_API_KEY or ANTHROPIC_API_KEY, and COPILOT_MODEL.`,
);
const noModel = refusal(
  "no_model",
  "copilot needs a model name to use your own provider.",
  "Set COPILOT_MODEL or add --model NAME.",
);
const otherType = (type: string) =>
  refusal("provider_unknown", `${TYPE} is "${type}", which the gateway does not support.`, "Use openai or anthropic.");
