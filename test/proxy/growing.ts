// A chat history that grows by whole turns, each message with a marker of its own, through a gateway with a small window.
import { object } from "../model-server/json.ts";
import type { ModelServer } from "../model-server/server.ts";
import type { TestGateway } from "./gateway.ts";
import { type Answer, call } from "./raw.ts";
import { CLIENTS } from "./wire-samples.ts";

export const SESSION = "growing";
/** A cut at 6,400 tokens down to 3,520; what may be recalled is a small part of that. */
export const SMALL_WINDOW = {
  EVERLONG_PROXY_WINDOWS: "gpt-4o: 9000",
  EVERLONG_PROXY_RESERVE_TOKENS: "1000",
  EVERLONG_PROXY_RECALL_MAX_CHARS: "600",
  CLIPROXY_SEMANTIC_ENABLED: "0",
};
export const marker = (turn: number, role: "user" | "assistant"): string => `marker-${turn}-${role}-end`;

const FILLER = "the lexer reads the next token and the parser builds a node from it ".repeat(8);
type Message = { role: string; content: string };

const turn = (n: number): Message[] => [
  { role: "user", content: `${marker(n, "user")} please look at part ${n}. ${FILLER}` },
  { role: "assistant", content: `${marker(n, "assistant")} part ${n} is done. ${FILLER}` },
];
/** So many whole turns, then a prompt. */
export const history = (turns: number): Message[] => [
  ...Array.from({ length: turns }, (_, n) => turn(n)).flat(),
  ...turn(turns).slice(0, 1),
];
export const bodyOf = (turns: number): string =>
  JSON.stringify({ model: "gpt-4o", messages: history(turns), temperature: 0.5 });

export const send = (gateway: TestGateway, turns: number, headers: Record<string, string> = {}): Promise<Answer> =>
  call(gateway.url + CLIENTS.chat.path, {
    headers: { ...CLIENTS.chat.headers, "X-Everlong-Session": SESSION, ...headers },
    body: bodyOf(turns),
  });

/** What went out at last. */
export const lastSent = (server: ModelServer): string => server.requests.at(-1)?.rawBody ?? "";

/** The messages of a body, each as the bytes it has there. */
export function messagesOf(body: string): string[] {
  const messages = object(JSON.parse(body))?.["messages"];
  return (Array.isArray(messages) ? messages : []).map((message) => JSON.stringify(message));
}

/** X79, XI4: all but the last message of the earlier request begin the later one. */
export const extendsLast = (later: string, earlier: string): boolean => {
  const before = earlier === "" ? [] : messagesOf(earlier).slice(0, -1);
  return before.every((message, i) => messagesOf(later)[i] === message);
};

/** Lines of events.jsonl for items that hold the text; anchors quote them too. */
export function linesWith(gateway: TestGateway, text: string): number {
  const items = gateway.events(SESSION).filter((event) => event["hash"] !== undefined);
  return items.filter((event) => String(event["text"]).includes(text)).length;
}
