// What shaping a history needs to know of our own messages.
import type { Message } from "../../schema/message.ts";
import type { ItemRules } from "./contract.ts";

export const ownRules: ItemRules<Message> = {
  missingResult({ raw }, toolCallId, content) {
    const call = raw.role === "assistant" ? raw.toolRequests.find((one) => one.toolCallId === toolCallId) : undefined;
    return { role: "tool", toolCallId, toolName: call?.name ?? "", content, isError: true };
  },
  withoutResults: () => undefined,
  replaceTexts({ raw }, replace) {
    const content = raw.role === "assistant" ? raw.content : replace(raw.content);
    return content === raw.content ? raw : { ...raw, content };
  },
  userMessage: (content) => ({ role: "user", content }),
};
