// The session's own messages: what history is made of, independent of any provider's wire.
import * as z from "zod";

export const toolRequest = z.looseObject({
  toolCallId: z.string().min(1),
  name: z.string(),
  /** The parsed object, or the raw text when the model's JSON did not parse. */
  arguments: z.unknown(),
});
export type ToolRequest = z.infer<typeof toolRequest>;

/** What only the provider and model that made it may see again: reasoning items, signatures, the exact order of parts. */
export const providerData = z.looseObject({
  provider: z.string(),
  model: z.string(),
  /** Assistant content parts in the AI SDK's own shape (text, reasoning, tool-call), with their provider options. */
  content: z.array(z.looseObject({ type: z.string() })),
});
export type ProviderData = z.infer<typeof providerData>;

export const attachment = z.looseObject({
  kind: z.enum(["image", "document", "file"]),
  /** Where the bytes are: a path inside the session folder or the workspace. */
  path: z.string(),
  mediaType: z.string().optional(),
  bytes: z.number().optional(),
});
export type Attachment = z.infer<typeof attachment>;

type UserMessage = { role: "user"; content: string; attachments?: Attachment[] };
export type AssistantMessage = {
  role: "assistant";
  content: string;
  reasoningText?: string;
  toolRequests: ToolRequest[];
  providerData?: ProviderData;
};
export type ToolMessage = {
  role: "tool";
  toolCallId: string;
  toolName: string;
  content: string;
  isError: boolean;
  attachments?: Attachment[];
};
export type Message = UserMessage | AssistantMessage | ToolMessage;
