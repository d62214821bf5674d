// From a target to the SDK's model: each wire is loaded when it is first called.
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelTarget } from "../contract.ts";

/** The address comes without a slash at its end. */
export type ProviderModel = (target: ModelTarget, baseUrl: string, fetch: typeof globalThis.fetch) => LanguageModelV4;

export async function loadProvider(target: Pick<ModelTarget, "provider" | "wire">): Promise<ProviderModel> {
  switch (target.wire) {
    case "openai-chat":
      if (target.provider === "openai") return (await import("./openai.ts")).chatModel;
      return (await import("./openai-compatible.ts")).compatibleModel;
    case "openai-responses":
      return (await import("./openai.ts")).responsesModel;
    case "anthropic":
      return (await import("./anthropic.ts")).messagesModel;
    case "gemini":
      return (await import("./google.ts")).geminiModel;
  }
}
