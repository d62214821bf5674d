// Whether anything may go to a Graphiti server now, and if not, why.
import type { Result } from "../../base/result.ts";
import type { GraphitiEndpoint } from "./endpoint.ts";

export type GraphitiState =
  | "off"
  | "no_endpoint"
  | "untrusted"
  | "no_consent"
  | "declined"
  | "ready"
  | "backing_off"
  | "stalled";

export type ConsentAnswer = "granted" | "declined" | "none";

type GraphitiGate = {
  enabled: boolean;
  endpoint: Result<GraphitiEndpoint | undefined, string>;
  isTrusted: boolean;
  consent: ConsentAnswer;
  /** How the server fared lately; times are milliseconds. */
  health: { retryAt: number; isStalled: boolean };
  now: number;
};

export function graphitiState({ enabled, endpoint, isTrusted, consent, health, now }: GraphitiGate): GraphitiState {
  if (!enabled) return "off";
  if (!endpoint.ok || !endpoint.value) return "no_endpoint";
  if (!isTrusted) return "untrusted";
  if (endpoint.value.type === "embedded") return "ready";
  if (consent === "declined") return "declined";
  if (consent === "none") return "no_consent";
  if (health.isStalled) return "stalled";
  return now < health.retryAt ? "backing_off" : "ready";
}

/** These may open connections; the others may not. */
export const mayConnect = (state: GraphitiState): boolean =>
  state === "ready" || state === "backing_off" || state === "stalled";
