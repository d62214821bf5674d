// The calls of a Graphiti server, as its own REST service takes them.

import { isRecord } from "../../base/json.ts";
import { type JsonFault, type JsonRequest, requestJson } from "../../base/json-request.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { GraphitiMessage } from "./outbox-row.ts";

const MAX_BYTES = 4 * 1024 * 1024;
const ERROR_CHARS = 200;
const RETRY_AFTER_MAX_MS = 30_000;

export type GraphitiFault = {
  /** `unavailable` may go away by itself, `refused` will not. */
  type: "unavailable" | "refused" | "aborted" | "not_allowed";
  message: string;
  status?: number;
  /** The messages may be there all the same. */
  mayBeStored: boolean;
  /** The server wants to be left alone for this long. */
  retryAfterMs?: number;
};
/** `facts`: ids of those that it says, as far as the server tells. */
export type GraphitiEpisode = { uuid: string; name: string; facts: string[] };
/** A fact with the fields that we read; servers of other versions may leave out the rest. */
export type GraphitiFact = {
  uuid?: string;
  fact: string;
  validAt?: string;
  invalidAt?: string;
  expiredAt?: string;
  /** What says it; absent when the server does not tell. */
  episodes?: string[];
};
type GraphitiAnswer = { status: number; body: unknown };

type GraphitiClientOptions = {
  endpoint: string;
  /** Read for each request: a changed setting counts at once. */
  settings: () => { token: string | undefined; timeoutMs: number };
  mayConnect: () => Promise<boolean>;
};

/** A wrong token or path, or too much at once: no single message is to blame, and somebody may mend it. */
const NOT_ABOUT_A_MESSAGE: ReadonlySet<number> = new Set([401, 403, 404, 408, 429]);

export class GraphitiClient {
  readonly endpoint: string;
  readonly #options: GraphitiClientOptions;

  constructor(options: GraphitiClientOptions) {
    this.endpoint = options.endpoint;
    this.#options = options;
  }

  /** Any answer that is JSON, whatever its status, as long as it is below 500. */
  async ask(
    method: JsonRequest["method"],
    path: string,
    signal: AbortSignal,
    more: Pick<JsonRequest, "body" | "headers"> & { timeoutMs?: number } = {},
  ): Promise<Result<GraphitiAnswer, GraphitiFault>> {
    const { timeoutMs, ...request } = more;
    const settings = this.#options.settings();
    const answer = await requestJson(
      {
        token: settings.token,
        timeoutMs: timeoutMs ?? settings.timeoutMs,
        timeoutSetting: "memory.graphiti.timeoutMs",
        maxBytes: MAX_BYTES,
        mayConnect: this.#options.mayConnect,
      },
      { ...request, method, url: `${this.endpoint}${path}` },
      signal,
    );
    if (!answer.ok) return fail(faultOf(answer.error));
    const { status, body, text, headers } = answer.value;
    if (status < 300) return ok({ status, body });
    const mayPass = status >= 500 || NOT_ABOUT_A_MESSAGE.has(status);
    return fail({
      type: mayPass ? "unavailable" : "refused",
      message: `HTTP ${status}${text === "" ? "" : `: ${short(text)}`}`,
      status,
      mayBeStored: status >= 500,
      ...retryAfter(headers.get("retry-after")),
    });
  }

  async add(
    group: string,
    messages: readonly GraphitiMessage[],
    idempotencyKey: string,
    signal: AbortSignal,
  ): Promise<Result<GraphitiAnswer, GraphitiFault>> {
    const headers = { "idempotency-key": idempotencyKey };
    return this.ask("POST", "/messages", signal, { body: { group_id: group, messages }, headers });
  }

  async episodes(group: string, count: number, signal: AbortSignal): Promise<Result<GraphitiEpisode[], GraphitiFault>> {
    const answer = await this.ask("GET", `/episodes/${encodeURIComponent(group)}?last_n=${count}`, signal);
    if (!answer.ok) return answer;
    const { body } = answer.value;
    if (!Array.isArray(body)) return fail(unreadable("a list of episodes"));
    return ok(
      body.filter(isRecord).map(({ uuid, name, entity_edges: facts }) => ({
        uuid: typeof uuid === "string" ? uuid : "",
        name: typeof name === "string" ? name : "",
        facts: Array.isArray(facts) ? facts.filter((id) => typeof id === "string") : [],
      })),
    );
  }

  async search(
    { group, query, maxFacts, timeoutMs }: { group: string; query: string; maxFacts: number; timeoutMs?: number },
    signal: AbortSignal,
  ): Promise<Result<GraphitiFact[], GraphitiFault>> {
    const body = { group_ids: [group], query, max_facts: maxFacts };
    const answer = await this.ask("POST", "/search", signal, {
      body,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    if (!answer.ok) return answer;
    const facts = isRecord(answer.value.body) ? answer.value.body["facts"] : undefined;
    if (!Array.isArray(facts)) return fail(unreadable("facts"));
    return ok(facts.flatMap(factOf));
  }
}

export function factOf(value: unknown): GraphitiFact[] {
  if (!isRecord(value) || typeof value["fact"] !== "string" || value["fact"].trim() === "") return [];
  const textAt = (name: string) => (typeof value[name] === "string" ? value[name] : undefined);
  const [uuid, validAt, invalidAt, expiredAt] = [
    textAt("uuid"),
    textAt("valid_at"),
    textAt("invalid_at"),
    textAt("expired_at"),
  ];
  const { episodes } = value;
  return [
    {
      fact: value["fact"],
      ...(uuid === undefined ? {} : { uuid }),
      ...(validAt === undefined ? {} : { validAt }),
      ...(invalidAt === undefined ? {} : { invalidAt }),
      ...(expiredAt === undefined ? {} : { expiredAt }),
      ...(Array.isArray(episodes) ? { episodes: episodes.filter((id) => typeof id === "string") } : {}),
    },
  ];
}

function faultOf({ code, cause, mayBeDone }: JsonFault): GraphitiFault {
  if (code === "no_consent") return { type: "not_allowed", message: cause, mayBeStored: false };
  if (code === "aborted") return { type: "aborted", message: cause, mayBeStored: mayBeDone };
  return { type: "unavailable", message: cause, mayBeStored: mayBeDone };
}

const unreadable = (what: string): GraphitiFault => ({
  type: "unavailable",
  message: `the answer has no ${what}.`,
  mayBeStored: false,
});

const short = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, ERROR_CHARS);

function retryAfter(text: string | null): { retryAfterMs?: number } {
  if (text === null) return {};
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? { retryAfterMs: Math.min(RETRY_AFTER_MAX_MS, Math.max(0, ms)) } : {};
}
