// Letta Code: its local backend speaks to an LM Studio, and takes the gateway for one.
import { ok } from "../../../base/result.ts";
import { basesIn, rootFor } from "../base.ts";
import { standInKey } from "../key.ts";
import { given, type Row, set } from "../row.ts";

const BASE = "LMSTUDIO_BASE_URL";
const KEY = "LMSTUDIO_API_KEY";

export const letta: Row = {
  command: "letta",
  install: "npm install -g @letta-ai/letta-code",
  bases: basesIn({ openai: BASE }),
  plan(asked) {
    const { args, env } = asked;
    const own = set(env, BASE);
    const key = set(env, KEY) ?? set(env, "OPENAI_API_KEY") ?? standInKey(asked, "openai", own);
    const model = args.join(" ").match(/(?:^| )(?:-m|--model)[ =](\S+)/)?.[1];
    return ok({
      // Its commands (`letta agents list`) stand first and take no backend.
      args: given(args, "--backend") || /^\w/.test(args[0] ?? "") ? args : ["--backend", "local", ...args],
      env: { [BASE]: `${rootFor(asked, "openai", own)}/v1`, ...(key === undefined ? {} : { [KEY]: key }) },
      notes: [
        ...(model === undefined || model.startsWith("lmstudio/")
          ? []
          : [`Only models named lmstudio/NAME pass the gateway, and ${model} does not.`]),
        ...(given(args, "--backend") && !/--backend[= ]local\b/.test(args.join(" "))
          ? ["Your --backend holds: only with local does letta pass the gateway."]
          : []),
      ],
      secrets: key === undefined ? [] : [key],
    });
  },
};
