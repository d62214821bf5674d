// /api/memory: the memory of this home as a service.
import { Hono } from "hono";
import type { Env } from "../api/reply.ts";
import { boardRoutes } from "./board.ts";
import type { OpenMemoryApi } from "./contract.ts";
import { helperRoutes } from "./helpers.ts";
import { lookRoutes } from "./look.ts";
import { promptRoutes } from "./prompt.ts";
import { recordRoutes } from "./records.ts";
import { verificationRoutes } from "./verification.ts";

export function memoryRoutes(open: OpenMemoryApi): Hono<Env> {
  return new Hono<Env>()
    .route("/", promptRoutes(open))
    .route("/", recordRoutes(open))
    .route("/", verificationRoutes(open))
    .route("/", boardRoutes(open))
    .route("/", helperRoutes(open))
    .route("/", lookRoutes(open));
}
