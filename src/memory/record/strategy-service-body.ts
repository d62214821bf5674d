// What is sent to a memory service, and the small parts of what it says.
import type { ListQuery, RecordDraft } from "./contract.ts";
import { type ServiceAddress, sendable } from "./strategy-service-http.ts";

/** Permission was given here: that is what `approved` says. */
export function bodyOf(draft: RecordDraft): Record<string, unknown> {
  const { subject, fact, reason, scope, place, source, author, status } = draft;
  const { sessionId, turnId, toolCallId, agentId, model } = source;
  return {
    subject,
    fact,
    citations: draft.citations.map(({ raw }) => raw),
    reason,
    scope,
    ...(scope === "repository" ? { repository: sendable(place) } : {}),
    ...(status === "pending" ? { pending: true } : { approved: true }),
    ...(author.kind === "user" ? { author: "user" } : {}),
    source: { sessionId, turnId, toolCallId, agentId, model },
  };
}

export function listUrl(address: ServiceAddress, query: ListQuery): string {
  const { place, scope, status, subject, author, text, stale, limit, after } = query;
  return address.records(place, scope, {
    status: status?.join(","),
    subject,
    author,
    q: text,
    stale: stale ? "true" : undefined,
    limit: limit === undefined ? undefined : String(limit),
    after,
    // The user's own look across everything; without it a service shows one place.
    all: place === undefined ? "true" : undefined,
  });
}

export const fieldsOf = (body: unknown): Record<string, unknown> =>
  typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};

export function statusIn(body: Record<string, unknown>) {
  const { status } = body;
  return status === "pending" || status === "superseded" ? status : "active";
}
