// Letta Code: its local backend speaks to an LM Studio, and takes the gateway for one.
import { fail, ok } from "../../../base/result.ts";
import { basesIn, rootFor } from "../base.ts";
import { standInKey } from "../key.ts";
import { type AgentRow, argument, hasFlag, pastGateway, set } from "../row.ts";

const BASE = "LMSTUDIO_BASE_URL";
const KEY = "LMSTUDIO_API_KEY";

export const letta: AgentRow = {
  command: "letta",
  install: "npm install -g @letta-ai/letta-code",
  bases: basesIn({ openai: BASE }),
  plan(request) {
    const { args, env } = request;
    const own = set(env, BASE);
    const key = set(env, KEY) ?? set(env, "OPENAI_API_KEY") ?? standInKey(request, "openai", own);
    const model = argument(args, "-m", "--model");
    if (model !== undefined && !model.startsWith("lmstudio/"))
      return fail(pastGateway("letta", `The model ${model} does not come from lmstudio`, "Use -m lmstudio/NAME."));
    const backend = argument(args, "--backend");
    if (backend !== undefined && backend !== "local")
      return fail(pastGateway("letta", `--backend ${backend} leads elsewhere`, "Use --backend local."));
    return ok({
      // Its commands (`letta agents list`) stand first and take no backend.
      args: hasFlag(args, "--backend") || /^\w/.test(args[0] ?? "") ? args : ["--backend", "local", ...args],
      env: { [BASE]: `${rootFor(request, "openai", own)}/v1`, ...(key === undefined ? {} : { [KEY]: key }) },
      secrets: key === undefined ? [] : [key],
    });
  },
};
