// Finding the gateway of this home: it must prove that it has our token before it is sent to it.
import { randomBytes } from "node:crypto";
import { isRecord, parseJson } from "../base/json.ts";
import { ask } from "./ask.ts";
import { readGatewayFile } from "./gateway-file.ts";
import { proofOf, readToken, sameToken } from "./token.ts";

export type LocalGateway = { address: string; token: string };
/** Who listens at an address: a gateway that has our token, another Everlong, something else, nobody. */
type Listener = "ours" | "everlong" | "other" | "nobody";

const LIMIT_MS = 2000;

/** A killed gateway leaves its file behind, and by now its port may be anybody's. */
export async function findGateway(home: string, signal?: AbortSignal): Promise<LocalGateway | undefined> {
  const file = readGatewayFile(home);
  const token = readToken(home);
  if (!file || !token.ok || token.value === undefined) return undefined;
  const who = await whoListens(file.address, token.value, signal);
  return who === "ours" ? { address: file.address, token: token.value } : undefined;
}

export async function whoListens(address: string, token: string | undefined, signal?: AbortSignal): Promise<Listener> {
  const challenge = randomBytes(24).toString("base64url");
  const headers = { "x-everlong-challenge": challenge };
  const reply = await ask(address, { path: "/healthz", headers }, LIMIT_MS, signal);
  if (!reply.ok) return reply.error === "nobody" ? "nobody" : "other";
  const proof = reply.value.headers["x-everlong-proof"];
  if (typeof proof !== "string") return "other";
  return token !== undefined && sameToken(proof, proofOf(token, challenge)) ? "ours" : "everlong";
}

/** The pid of a gateway that is ours; undefined when it ended just now. */
export async function pidOf({ address, token }: LocalGateway): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${token}` };
  const reply = await ask(address, { path: "/healthz", headers }, LIMIT_MS);
  const body = reply.ok ? parseJson(reply.value.text) : undefined;
  return body?.ok && isRecord(body.value) && typeof body.value["pid"] === "number" ? body.value["pid"] : undefined;
}
