// /api/memory: the memory of this home as a service.
import { Hono } from "hono";
import type { Env } from "../api/reply.ts";
import { boardRoutes } from "./board.ts";
import { helperRoutes } from "./helpers.ts";
import { lookRoutes } from "./look.ts";
import { promptRoutes } from "./prompt.ts";
import { recordRoutes } from "./records.ts";
import { undoRoutes } from "./undo.ts";
import { verificationRoutes } from "./verification.ts";

export const memoryRoutes = new Hono<Env>();
for (const routes of [
  promptRoutes,
  recordRoutes,
  verificationRoutes,
  boardRoutes,
  helperRoutes,
  undoRoutes,
  lookRoutes,
])
  memoryRoutes.route("/", routes);
