// Whether a message came from the very model that is called now: only then may it see its own reasoning again.
import type { AssistantMessage } from "../schema/message.ts";
import type { ModelTarget } from "./contract.ts";

export function isMadeBy(message: AssistantMessage, target: Pick<ModelTarget, "provider" | "name" | "wire">): boolean {
  const data = message.providerData;
  return (
    data?.provider === target.provider && data.model === target.name && (data["wire"] ?? target.wire) === target.wire
  );
}
