// What this server gave out and may be shown again: thinking signatures, encrypted reasoning, stored items.

/** An output item of the Responses wire. */
export type IssuedItem = {
  stored: boolean;
  callId?: string;
  /** The reasoning item that must come along when this item is sent back with its id. */
  needs?: string;
};

export type Issued = {
  /** Anthropic signature to the thinking it signs. */
  thinking: Map<string, string>;
  items: Map<string, IssuedItem>;
};

export function newIssued(): Issued {
  return { thinking: new Map(), items: new Map() };
}

// The prefixes make a secret recognisable to another server of the same kind, as in a session that is
// resumed against a new one, and unmistakable for another provider's.
export function thinkingSignature(id: string): string {
  return `sig_${id}`;
}

export function isThinkingSignature(signature: string): boolean {
  return signature.startsWith("sig_");
}

export function encryptedReasoning(id: string): string {
  return `enc_${id}`;
}

export function isEncryptedReasoning(content: string): boolean {
  return content.startsWith("enc_");
}

/** Base64, as Google's clients decode it. */
export function thoughtSignature(id: string): string {
  return Buffer.from(`thought:${id}`).toString("base64");
}

export function isThoughtSignature(signature: string): boolean {
  // The two words with which Google lets a client skip the check.
  if (signature === "skip_thought_signature_validator" || signature === "context_engineering_is_the_way_to_go")
    return true;
  return Buffer.from(signature, "base64").toString().startsWith("thought:");
}
