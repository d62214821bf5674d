// Our own calls over Responses: nothing is stored at the provider.
import { compactAt } from "../compact-at.ts";
import type { CallFormat } from "../contract.ts";

export const responsesCall: CallFormat = {
  load: async () => (await import("../openai-provider.ts")).responsesModel,
  providerOptions: (target, request) => ({
    openai: {
      // With nothing stored at the provider, the SDK asks a reasoning model for its encrypted reasoning.
      store: false,
      promptCacheKey: request.sessionId,
      ...(request.providerCompaction
        ? { contextManagement: [{ type: "compaction", compactThreshold: compactAt(target) }] }
        : {}),
      ...(target.entry.supports.reasoning ? { forceReasoning: true, reasoningSummary: "auto" } : {}),
    },
  }),
  // Responses is strict unless told otherwise, and then makes every optional argument a required one.
  tools: (tools) => tools.map((tool) => ({ ...tool, strict: false })),
  elsewhere: "openai-chat",
};
