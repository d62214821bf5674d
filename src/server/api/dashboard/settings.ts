// /api/settings, /api/trust, /api/consents: switches can be moved; trust and consent can only be taken back here.
import { Hono } from "hono";
import * as z from "zod";
import { type Env, jsonBody, reply } from "../reply.ts";

const valueBody = z.strictObject({ value: z.boolean() });
const folderBody = z.strictObject({ folder: z.string().min(1).max(4096) });
const consentBody = z.strictObject({ root: z.string().min(1).max(4096), origin: z.string().min(1).max(2048) });

export const settingRoutes = new Hono<Env>()
  .get("/settings", async (c) => reply(c, await c.var.dashboard.settings()))
  .put("/settings/:key", jsonBody(valueBody), async (c) =>
    reply(c, await c.var.dashboard.setSetting(c.req.param("key"), c.req.valid("json").value)),
  )
  .delete("/settings/:key", async (c) => reply(c, await c.var.dashboard.setSetting(c.req.param("key"), undefined)))
  .get("/trust", async (c) => reply(c, await c.var.dashboard.trusted()))
  .delete("/trust", jsonBody(folderBody), async (c) =>
    reply(c, await c.var.dashboard.revokeTrust(c.req.valid("json").folder)),
  )
  .get("/consents", async (c) => reply(c, await c.var.dashboard.consents()))
  .delete("/consents", jsonBody(consentBody), async (c) => {
    const { root, origin } = c.req.valid("json");
    return reply(c, await c.var.dashboard.revokeConsent(root, origin));
  });
