// Any other program that is built on a vendor's SDK: the variables that the SDKs read.
import { ok } from "../../../base/result.ts";
import { basesIn, rootFor } from "../base.ts";
import { keyOrToken } from "../key.ts";
import { type AgentRow, set } from "../row.ts";

const BASES = { openai: "OPENAI_BASE_URL", anthropic: "ANTHROPIC_BASE_URL", gemini: "GOOGLE_GEMINI_BASE_URL" } as const;
/** The older name of the same. */
const OLD_BASE = "OPENAI_API_BASE";

export const any = (command: string): AgentRow => ({
  command,
  install: "",
  ownFlags: ["--print", "--json"],
  bases: (user) => basesIn({ ...BASES, ...(set(user.env, BASES.openai) ? {} : { openai: OLD_BASE }) })(user),
  plan(request) {
    const { env } = request;
    const openai = set(env, BASES.openai) ?? set(env, OLD_BASE);
    const anthropic = set(env, BASES.anthropic);
    const gemini = set(env, BASES.gemini);
    const base = `${rootFor(request, "openai", openai)}/v1`;
    return ok({
      args: request.args.slice(1),
      env: {
        [BASES.openai]: base,
        [OLD_BASE]: base,
        [BASES.anthropic]: rootFor(request, "anthropic", anthropic),
        [BASES.gemini]: rootFor(request, "gemini", gemini),
        ...keyOrToken(request, "openai", openai, "OPENAI_API_KEY"),
        ...keyOrToken(request, "anthropic", anthropic, "ANTHROPIC_API_KEY"),
        ...keyOrToken(request, "gemini", gemini, "GEMINI_API_KEY"),
      },
    });
  },
});
