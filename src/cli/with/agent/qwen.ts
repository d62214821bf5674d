// Qwen Code: an OpenAI-compatible client that takes no headers.
import { ok } from "../../../base/result.ts";
import { basesIn, rootFor } from "../base.ts";
import { keyOrToken } from "../key.ts";
import { given, type Row, set } from "../row.ts";

const BASE = "OPENAI_BASE_URL";

export const qwen: Row = {
  command: "qwen",
  install: "npm install -g @qwen-code/qwen-code",
  bases: basesIn({ openai: BASE }),
  plan(asked) {
    const { args, env } = asked;
    const own = set(env, BASE);
    return ok({
      args: given(args, "--auth-type") ? args : ["--auth-type", "openai", ...args],
      env: { [BASE]: `${rootFor(asked, "openai", own)}/v1`, ...keyOrToken(asked, "openai", own, "OPENAI_API_KEY") },
      notes: [
        ...(given(args, "--openai-base-url") ? ["Your --openai-base-url holds: qwen does not pass the gateway."] : []),
        ...(given(args, "--auth-type") && !/--auth-type[= ]openai\b/.test(args.join(" "))
          ? ["Your --auth-type holds: only with openai does qwen pass the gateway."]
          : []),
      ],
    });
  },
};
