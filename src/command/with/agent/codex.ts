// Codex: a model provider of ours on its command line; the run's token comes by a variable that the provider names.
import { fail, ok } from "../../../base/result.ts";
import { bareRootFor, upstreamFor, usable } from "../base.ts";
import { type AgentRow, pastGateway, refusal, set } from "../row.ts";
import { chosenProvider, configPath } from "./codex-config.ts";

const KEY = "OPENAI_API_KEY";
const TOKEN_HEADER = "X-Everlong-Token";
const TOKEN_VARIABLE = "EVERLONG_WITH_TOKEN";
const CHOOSES = /^(?:(?:-c|--config)[ =]?)?model_provider\s*=/;

export const codex: AgentRow = {
  command: "codex",
  install: "npm install -g @openai/codex",
  bases(user) {
    const chosen = chooses(user.args) ? undefined : chosenProvider(user);
    if (chosen === undefined) return ok([]);
    if (chosen.base !== undefined && usable(chosen.base))
      return ok([{ name: "openai", vendor: "openai", url: chosen.base }]);
    return fail(
      refusal(
        "provider_unknown",
        `${configPath(user)} chooses the model provider "${chosen.name}", whose settings the gateway cannot take over.`,
        "Remove that line and set EVERLONG_UPSTREAM_OPENAI to the provider's base URL, or start codex by itself.",
      ),
    );
  },
  plan(request) {
    const { args, env, gateway } = request;
    if (chooses(args))
      return fail(pastGateway("codex", "Your arguments choose another model provider", "Leave them out."));
    const chosen = chosenProvider(request);
    const keyName = chosen?.keyName ?? KEY;
    const hasKey = set(env, keyName) !== undefined;
    const root = bareRootFor(request, "openai", chosen?.base);
    const signIn = hasKey || chosen ? undefined : request.signIn;
    const keyless = signIn === undefined && upstreamFor(gateway, "openai", chosen?.base)?.key === true;
    const provider = [
      'name="Everlong"',
      `base_url=${toml(signIn === "chatgpt" ? `${gateway.address}/up/chatgpt` : `${root}/v1`)}`,
      'wire_api="responses"',
      ...(hasKey ? [`env_key=${toml(keyName)}`] : keyless ? [] : ["requires_openai_auth=true"]),
      ...(request.run === undefined ? [] : [`env_http_headers={${toml(TOKEN_HEADER)}=${toml(TOKEN_VARIABLE)}}`]),
    ];
    return ok({
      args: ["-c", 'model_provider="everlong"', "-c", `model_providers.everlong={${provider.join(",")}}`, ...args],
      env: request.run === undefined ? {} : { [TOKEN_VARIABLE]: request.run },
    });
  },
};

const chooses = (args: readonly string[]): boolean =>
  args.some((arg) => CHOOSES.test(arg) || arg === "--oss" || arg.startsWith("--local-provider"));

/** A TOML string; JSON's escapes are all TOML's too. */
const toml = (text: string): string => JSON.stringify(text);
