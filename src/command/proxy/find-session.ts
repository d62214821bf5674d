// Which proxied session is meant: its id, the beginning of one, or the latest.
import { type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { ProxyOperations } from "../../runtime/client.ts";

export type SessionTarget = { last?: boolean };

export async function findSession(
  operations: ProxyOperations,
  wanted: string | undefined,
  { last }: SessionTarget,
): Promise<Result<string, Failure>> {
  if (wanted === undefined || wanted === "") {
    if (!last) return fail(usage("Which session?", "Give its id, the beginning of one, or --last."));
    const newest = await operations.sessions({ limit: 1 });
    if (!newest.ok) return newest;
    const id = newest.value.items[0]?.id;
    return id === undefined ? fail(none) : ok(id);
  }
  const near = await operations.sessions({ q: wanted, limit: 500 });
  if (!near.ok) return near;
  const ids = near.value.items.map((s) => s.id).filter((id) => id.startsWith(wanted));
  if (ids.includes(wanted)) return ok(wanted);
  const [only] = ids;
  if (only !== undefined && ids.length === 1) return ok(only);
  if (only === undefined) return fail(unknown(wanted, near.value.items.map((s) => s.id).slice(0, 5)));
  return fail(
    usage(`"${wanted}" matches ${ids.length} sessions: ${ids.slice(0, 5).join(", ")}.`, "Give more of the id."),
  );
}

export const usage = (what: string, next: string): Failure => ({
  code: "usage",
  what,
  data: "Nothing was changed.",
  next,
  exit: 2,
});

const none: Failure = refusal(
  "session_not_found",
  "No session has come through the gateway yet.",
  "Start one with `everlong with AGENT`.",
);

const unknown = (wanted: string, near: readonly string[]): Failure => ({
  ...none,
  what: `Proxied session not found: ${wanted.slice(0, 80)}.`,
  next: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "`everlong proxy sessions` lists them.",
});
