// What a server may ask of us: model calls and forms, each only where somebody is there to answer, and declined otherwise.
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  type ClientCapabilities,
  CreateMessageRequestSchema,
  type CreateMessageResult,
  CreateMessageResultSchema,
  ElicitRequestSchema,
  ErrorCode,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import type { ServerConfig } from "../config/server-config.ts";
import type { Answers } from "../connection.ts";

/** What is not advertised is refused by the SDK itself. */
export function questionCapabilities({ sampling }: ServerConfig, { sample, elicit }: Answers): ClientCapabilities {
  return { ...(sampling && sample ? { sampling: {} } : {}), ...(elicit ? { elicitation: { form: {} } } : {}) };
}

export function answerQuestions(client: Client, { name, sampling }: ServerConfig, { sample, elicit }: Answers): void {
  if (sampling && sample) {
    client.setRequestHandler(
      CreateMessageRequestSchema,
      async ({ params }, { signal }): Promise<CreateMessageResult> => {
        const answer = await sample(name, params, signal);
        if (!answer) throw new McpError(ErrorCode.InvalidRequest, "The user declined the model call.");
        return CreateMessageResultSchema.parse(answer);
      },
    );
  }
  if (elicit) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => {
      if (!("requestedSchema" in params)) return { action: "decline" };
      const content = await elicit(name, { message: params.message, requestedSchema: params.requestedSchema }, signal);
      return content ? { action: "accept", content } : { action: "decline" };
    });
  }
}
