// POST /api/memory/changes/{id}/undo: an edit is taken back, unless the record was changed again.
import { type Context, Hono } from "hono";
import * as z from "zod";
import { editRecord } from "../../memory/record/change.ts";
import { changeNumbered, isLatest, textsBefore } from "../../memory/record/undo.ts";
import { clientGone } from "../../proxy/forward/deliver.ts";
import { type Env, jsonBody, refuse } from "../api/reply.ts";
import type { GatewayRefusal } from "../contract.ts";
import { refusal } from "../refusal.ts";
import { denied, memoryOff, notFound, refusalOfFailure, shown, stale, unavailable } from "./answer.ts";
import type { MemoryBackend } from "./contract.ts";
import { actorOf, writeParts } from "./write.ts";

const undoBody = z.strictObject({ force: z.boolean().exactOptional() });

export const undoRoutes = new Hono<Env>().post("/changes/:id/undo", jsonBody(undoBody), async (c) => {
  const { memory } = c.var;
  if (memory.denied) return refuse(c, denied);
  if (!memory.enabled) return refuse(c, memoryOff);
  const signal = clientGone(c.env.outgoing);
  const strategy = memory.strategy();
  const { id, query } = changeNumbered(c.req.param("id"));
  const page = await strategy.changes(query, signal);
  if (page.type !== "changes") return refuse(c, unavailable(false));
  const change = page.changes.find((one) => one.id === id);
  if (!change) return refuse(c, noChange);
  const texts = textsBefore(change);
  if (!texts) return refuse(c, notUndoable);
  const got = await strategy.get(change.memory, {}, signal);
  if (got.type !== "got") return refuse(c, await goneSince(c, change.memory));
  const { record } = got;
  if (!isLatest(change, record) && !c.req.valid("json").force)
    return refuse(c, stale(record.version, shown(memory, record)));
  const request = { id: record.id, input: texts, by: { actor: actorOf(memory), version: record.version } };
  const edited = await editRecord(writeParts(memory), request, signal);
  if (edited.type === "failure") return refuse(c, refusalOfFailure(edited));
  if (edited.type === "not_found") return refuse(c, await goneSince(c, record.id));
  if (edited.type === "conflict") return refuse(c, stale(edited.current.version, shown(memory, edited.current)));
  return c.json({ outcome: "undone", record: shown(memory, edited.record) });
});

/** A record that somebody deleted meanwhile says when; nobody else ever had the id. */
export async function goneSince(c: Context<Env>, id: string): Promise<GatewayRefusal> {
  const memory: MemoryBackend = c.var.memory;
  const changes = await memory.strategy().changes({ memory: id, limit: 1 }, clientGone(c.env.outgoing));
  const last = changes.type === "changes" ? changes.changes[0] : undefined;
  if (last?.action !== "delete") return notFound;
  return refusal("not_found", {
    code: "deleted",
    message: `It was deleted at ${last.at}.`,
    hint: "Copy your text and add it as a new memory.",
    details: { deletedAt: last.at },
  });
}

const noChange = refusal("not_found", {
  message: "Change not found.",
  hint: "GET /api/memory/changes lists them.",
});
const notUndoable = refusal("invalid_inputs", {
  status: 409,
  code: "not_undoable",
  message: "Only edits can be undone, as long as their texts are there.",
  hint: "Vote the other way, review it again, or add it anew.",
});
