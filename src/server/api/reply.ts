// How the API answers: values as JSON, failures with their code; and what its routes find ready when they run.
import type { HttpBindings } from "@hono/node-server";
import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { METHOD_NAME_ALL } from "hono/router";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type * as z from "zod";
import type { Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import type { Result } from "../../base/result.ts";
import type { BoardPlace, Src } from "../../memory/board/item.ts";
import type { DashboardOperations } from "../../runtime/client/api.ts";
import type { GatewayRefusal } from "../contract.ts";
import { type ManagementWay, PAGE_ROWS, type Paging, type ProxyOperations } from "../manage/contract.ts";
import type { GraphOperations } from "../manage/graph.ts";
import type { RecallOperations } from "../manage/recall.ts";
import type { MemoryBackend } from "../memory/contract.ts";
import { refusalOf } from "../refusal.ts";
import { errorBody } from "../respond.ts";
import type { Member } from "../team/member.ts";
import type { SharingOperations } from "../team/sharing-operations.ts";
import type { TokenOperations } from "../team/token-operations.ts";
import { invalid, readJson } from "./json-body.ts";

/** What a family of routes works on; `place` and `src` are of the board's routes. */
type Variables = {
  operations: ProxyOperations;
  recall: RecallOperations;
  memory: MemoryBackend;
  /** The member of a team who asks; undefined where there is no team. */
  member: Member | undefined;
  graph: GraphOperations;
  dashboard: DashboardOperations;
  tokens: TokenOperations;
  sharing: SharingOperations;
  place: BoardPlace;
  src: Src;
};
export type Env = { Bindings: HttpBindings; Variables: Variables };

/** Opens what a family of routes works on, before any of them runs. An address without a route opens nothing. */
export const opened =
  <Name extends keyof Variables>(
    name: Name,
    open: (member?: Member) => Promise<Result<Variables[Name], Failure>>,
  ): MiddlewareHandler<Env> =>
  async (c, next) => {
    if (matchedRoutes(c).every(({ method }) => method === METHOD_NAME_ALL)) return next();
    const part = await open(c.var.member);
    if (!part.ok) return refuse(c, refusalOf(part.error));
    c.set(name, part.value);
    return next();
  };

type Valid<Target extends "json" | "query", T> = MiddlewareHandler<
  Env,
  string,
  { in: Record<Target, T>; out: Record<Target, T> }
>;

/** The body of a request, for `c.req.valid("json")`. */
export const jsonBody =
  <T extends object>(schema: z.ZodType<T>): Valid<"json", T> =>
  async (c, next) => {
    const body = await readJson(c.env.incoming, schema, c.var.member);
    if (!body.ok) return refuse(c, body.error);
    c.req.addValidatedData("json", body.value);
    return next();
  };

export function refuse(c: Context<Env>, refusal: GatewayRefusal): Response {
  const headers = { ...refusal.headers, "x-everlong-error": refusal.code };
  return c.json(errorBody(refusal), refusal.status as ContentfulStatusCode, headers);
}

export function reply<T>(c: Context<Env>, result: Result<T, Failure>, headers?: (value: T) => Record<string, string>) {
  if (!result.ok) return refuse(c, refusalOf(result.error));
  return c.json(result.value as object, 200, headers?.(result.value));
}

const MOST = 500;

export type PageAsked = Paging & { limit: number };

/** `limit` from 1 to 500, and an `after` that is handed on as it is, for `c.req.valid("query")`. */
export const paging: Valid<"query", PageAsked> = async (c, next) => {
  const limit = c.req.query("limit") ?? String(PAGE_ROWS);
  if (!/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > MOST)
    return refuse(c, invalid(`limit must be a whole number from 1 to ${MOST}.`));
  c.req.addValidatedData("query", { limit: Number(limit), ...optional("after", c.req.query("after")) });
  return next();
};

/** It is the way in which somebody asks or approves; it is only told and gives no rights. */
export function wayOf(c: Context<Env>): ManagementWay {
  if (c.req.header("x-everlong-client") === "cli") return "cli";
  return c.req.header("authorization") || c.req.header("x-everlong-token") ? "api" : "dashboard";
}
