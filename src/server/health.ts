// Whether the gateway can do its work: one word for everybody, the findings for who has the token.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Health } from "./contract.ts";
import { sendJson } from "./respond.ts";
import { proofOf } from "./token.ts";

type HealthDetail = { version: string; startedAt: string; pid: number };

export const worstOf = (checks: Health["checks"]): "ok" | "degraded" | "down" =>
  (["down", "degraded"] as const).find((status) => checks.some((check) => check.status === status)) ?? "ok";

/** A caller that has the token can ask for a proof that this gateway has it too, before it sends it here. */
export function answerHealth(
  req: IncomingMessage,
  res: ServerResponse,
  health: Health,
  access: { token: string; detail: HealthDetail | undefined },
): void {
  const { checks, counters } = health;
  const status = worstOf(checks);
  const challenge = req.headers["x-everlong-challenge"];
  const isChallenge = typeof challenge === "string" && /^[\w-]{16,128}$/.test(challenge);
  sendJson(
    res,
    status === "down" ? 503 : 200,
    { status, ...(access.detail ? { ...access.detail, checks, counters } : {}) },
    isChallenge ? { "x-everlong-proof": proofOf(access.token, challenge) } : {},
  );
}
