// How the API answers: values as JSON, failures with their code; and how it reads queries.
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { GatewayRefusal } from "../contract.ts";
import type { ManagementWay, Paging, ProxyOperations } from "../manage/contract.ts";
import { refusalOf } from "../refusal.ts";
import { errorBody } from "../respond.ts";
import { invalid } from "./json-body.ts";

export type Env = { Bindings: HttpBindings; Variables: { operations: ProxyOperations } };

export function refuse(c: Context<Env>, refusal: GatewayRefusal): Response {
  const headers = { ...refusal.headers, "x-everlong-error": refusal.code };
  return c.json(errorBody(refusal), refusal.status as ContentfulStatusCode, headers);
}

export function reply<T>(c: Context<Env>, result: Result<T, Failure>, headers?: (value: T) => Record<string, string>) {
  if (!result.ok) return refuse(c, refusalOf(result.error));
  return c.json(result.value as object, 200, headers?.(result.value));
}

const MOST = 500;

/** `limit` from 1 to 500, and an `after` that is handed on as it is. */
export function paging(c: Context<Env>): Result<Paging, GatewayRefusal> {
  const limit = c.req.query("limit");
  if (limit !== undefined && (!/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > MOST)) {
    return fail(invalid(`limit must be a whole number from 1 to ${MOST}.`));
  }
  return ok({ limit: limit === undefined ? 100 : Number(limit), ...optional("after", c.req.query("after")) });
}

/** By what somebody asks or approves: only told, never a right. */
export function wayOf(c: Context<Env>): ManagementWay {
  if (c.req.header("x-everlong-client") === "cli") return "cli";
  return c.req.header("authorization") || c.req.header("x-everlong-token") ? "api" : "dashboard";
}
