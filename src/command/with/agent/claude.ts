// Claude Code: its base URL comes from the environment; sign-in and keys stay as they are.
import { join } from "node:path";
import { isRecord, parseJson } from "../../../base/json.ts";
import { fail, ok } from "../../../base/result.ts";
import { basesIn, rootFor, upstreamFor } from "../base.ts";
import { type AgentRow, pastGateway, type Refusal, set, type User } from "../row.ts";

const BASE = "ANTHROPIC_BASE_URL";
/** Each leads to another cloud, past the base URL. */
const CLOUDS = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];

export const claude: AgentRow = {
  command: "claude",
  install: "npm install -g @anthropic-ai/claude-code",
  ownFlags: ["--print"],
  bases: basesIn({ anthropic: BASE }),
  plan(request) {
    const { env, gateway } = request;
    const past = pastBy(request);
    if (past) return fail(past);
    const own = set(env, BASE);
    const vendors = URL.parse(upstreamFor(gateway, "anthropic", own)?.url ?? "")?.host === "api.anthropic.com";
    return ok({
      env: {
        [BASE]: rootFor(request, "anthropic", own),
        // Otherwise it takes the gateway for a stranger and gives up its 1M window.
        ...(vendors ? { _CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL: "1" } : {}),
      },
    });
  },
};

/** Claude lets its settings file win over the environment. */
function pastBy({ env, home, read }: User): Refusal | undefined {
  const cloud = CLOUDS.find((name) => set(env, name));
  if (cloud) return pastGateway("claude", `${cloud} sends claude to another cloud`, `Unset ${cloud}.`);
  const path = join(set(env, "CLAUDE_CONFIG_DIR") ?? join(home, ".claude"), "settings.json");
  const parsed = parseJson(read(path) ?? "");
  const variables = parsed.ok && isRecord(parsed.value) ? parsed.value["env"] : undefined;
  if (!isRecord(variables) || variables[BASE] === undefined) return undefined;
  return pastGateway(
    "claude",
    `${path} sets ${BASE}, which claude prefers`,
    "Remove that line and set it in the environment.",
  );
}
