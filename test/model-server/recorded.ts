// What the server keeps of every request, for tests to assert on.
export type WireName = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

export type Recorded = {
  wire: WireName;
  /** As sent, with any prefix, without the query. */
  path: string;
  query: string;
  headers: Record<string, string>;
  rawBody: string;
  body: unknown;
  model: string;
  stream: boolean;
  /** performance.now() when the request arrived. */
  at: number;
  /** Position in `requests`. */
  index: number;
  /** Why it was answered 400 without using up a reply. */
  violation?: string;
  /** Refused because of the `maxTokens` option; such a request is not in `rejected`. */
  overLimit: boolean;
  /** The client left before the answer was complete. */
  aborted: boolean;
};

/** A request that asks no model: model lists, token counts, Ollama's own API. */
export type SideRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  rawBody: string;
  at: number;
};
