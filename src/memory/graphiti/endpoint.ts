// The address of a Graphiti server, brought into one form: consent and the queue are bound to exactly this text.
import { fail, ok, type Result } from "../../base/result.ts";

/** `embedded` is the graph of this process; nothing leaves for it. */
export type GraphitiEndpoint = { type: "embedded" } | { type: "server"; url: string };

/** Undefined: none is set. The error says what is wrong with the text. */
export function graphitiEndpoint(text: string | undefined): Result<GraphitiEndpoint | undefined, string> {
  const trimmed = text?.trim() ?? "";
  if (trimmed === "") return ok(undefined);
  if (trimmed.toLowerCase() === "embedded") return ok({ type: "embedded" });
  const url = URL.parse(trimmed);
  if (!url) return fail("is not a URL");
  if (!/^https?:$/.test(url.protocol)) return fail(`must start with http or https, not ${url.protocol}`);
  if (url.username || url.password)
    return fail("must not contain a user or password; memory.graphiti.token has the token");
  if (url.search || url.hash || /[?#]/.test(trimmed)) return fail("must not contain a query or fragment");
  return ok({ type: "server", url: `${url.origin}${url.pathname}`.replace(/\/+$/, "") });
}
