// One request to a memory service: its address, its limits, and what an answer may be. No redirect is ever followed.

import { isLoopback } from "../../base/address.ts";
import { readBody } from "../../base/body.ts";
import { errorText } from "../../base/failure.ts";
import { parseJson } from "../../base/json.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { isLocalKey } from "../../host/repository-key.ts";
import type { Place, PromptAsk, Scope } from "./contract.ts";

const MAX_BYTES = 256 * 1024;

export type ServiceFault = {
  code: "timeout" | "aborted" | "unreachable" | "redirect" | "too_large" | "invalid_answer" | "no_consent";
  cause: string;
  /** The request may have done its work all the same. */
  mayBeDone: boolean;
};
export type ServiceAnswer = { status: number; body: unknown };

/** The one place where addresses of a service are made. `local:` names mean nothing elsewhere and never leave. */
export class ServiceAddress {
  readonly origin: string;
  readonly isLoopback: boolean;
  readonly #base: string;

  private constructor(url: URL) {
    this.origin = url.origin;
    this.isLoopback = isLoopback(url.href);
    this.#base = `${url.origin}${url.pathname.replace(/\/+$/, "")}/api/memory`;
  }

  static of(text: string): Result<ServiceAddress, string> {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !/^https?:$/.test(url.protocol)) return fail("memory.service.url is not an http or https address.");
    if (url.username || url.password || url.search || url.hash)
      return fail("memory.service.url must not contain a user, query or fragment; the token has its own setting.");
    if (url.protocol === "http:" && !isLoopback(url.href))
      return fail("memory.service.url must start with https, except for this machine.");
    return ok(new ServiceAddress(url));
  }

  prompt({ place, scopes, maxTokens }: PromptAsk): string {
    return this.#at("/prompt", { repository: sendable(place), scopes: scopes.join(","), budget: String(maxTokens) });
  }

  records(place: Place | undefined, scope?: Scope, more: Record<string, string | undefined> = {}): string {
    const repository = scope === "user" ? undefined : sendable(place);
    return this.#at("/records", { scope, repository, ...more });
  }

  record(id: string, place: Place | undefined, part = ""): string {
    return this.#at(`/records/${encodeURIComponent(id)}${part}`, { repository: sendable(place) });
  }

  votes(): string {
    return this.#at("/votes", {});
  }

  changes(query: Record<string, string | undefined>): string {
    return this.#at("/changes", query);
  }

  #at(path: string, query: Readonly<Record<string, string | undefined>>): string {
    const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined || value === "" ? [] : [[name, value]],
    );
    return `${this.#base}${path}${pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`}`;
  }
}

/** The repository as a service may know it. */
export const sendable = (place: Place | undefined): string | undefined =>
  place?.repository === undefined || isLocalKey(place.repository) ? undefined : place.repository;

type ServiceSender = {
  token: string | undefined;
  timeoutMs: number;
  /** Asked before each connection: a consent that is taken back counts from then on. */
  mayConnect: () => Promise<boolean>;
};
export type ServiceRequest = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  url: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
};

/** Never throws, never takes longer than the limit. */
export async function send(
  { token, timeoutMs, mayConnect }: ServiceSender,
  { method, url, body, headers = {} }: ServiceRequest,
  signal: AbortSignal,
): Promise<Result<ServiceAnswer, ServiceFault>> {
  const late = AbortSignal.timeout(timeoutMs);
  const isRead = method === "GET";
  const faulty = (code: ServiceFault["code"], cause: string, mayBeDone = !isRead) => fail({ code, cause, mayBeDone });
  if (!(await mayConnect())) return faulty("no_consent", "the folder or the address is no longer allowed.", false);
  try {
    const response = await fetch(url, {
      method,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "manual",
      signal: AbortSignal.any([late, signal]),
    });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      return faulty("redirect", `it answered ${response.status}, and redirects are not followed.`, false);
    }
    const { bytes, cut } = await readBody(response.body, MAX_BYTES);
    if (cut) return faulty("too_large", "its answer is larger than 256 KB.");
    const text = bytes.toString("utf8");
    const parsed = text === "" ? ({ ok: true, value: undefined } as const) : parseJson(text);
    // A gateway in between may say what is wrong in HTML: the status tells enough.
    if (!parsed.ok && response.ok) return faulty("invalid_answer", "its answer is not JSON.");
    return ok({ status: response.status, body: parsed.ok ? parsed.value : undefined });
  } catch (error) {
    if (late.aborted) return faulty("timeout", `no answer within ${timeoutMs} ms (memory.service.timeoutMs).`);
    if (signal.aborted) return faulty("aborted", "it was cancelled.");
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return faulty("unreachable", `${errorText(cause)}.`, !isRead && !/ECONNREFUSED|ENOTFOUND/.test(codeOf(cause)));
  }
}

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
