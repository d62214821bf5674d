// The addresses of a memory service.

import { isLoopback } from "../../base/address.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { isLocalKey } from "../../host/repository-key.ts";
import type { Place, PromptAsk, Scope } from "./contract.ts";

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
