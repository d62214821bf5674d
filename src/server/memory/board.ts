// /api/memory/board: items of a branch, read and changed as by the user's own hand.
import { type Context, Hono } from "hono";
import * as z from "zod";
import { fail, ok, type Result } from "../../base/result.ts";
import { listChanges, undoChanges } from "../../memory/board/change.ts";
import { checkItem } from "../../memory/board/check.ts";
import { type BoardItem, seenOf } from "../../memory/board/item.ts";
import { findItem, listItems } from "../../memory/board/row.ts";
import { adoptItems, putItem, removeItem } from "../../memory/board/store.ts";
import { branchNamed, PLACE_REFUSED, repositoryNamed } from "../../memory/place-name.ts";
import { CAPACITY } from "../../schema/board.ts";
import { mayBeWritten } from "../../store/fault.ts";
import { invalid } from "../api/json-body.ts";
import { type Env, jsonBody, paging, refuse } from "../api/reply.ts";
import type { GatewayRefusal } from "../contract.ts";
import { refusal } from "../refusal.ts";
import { uncovered } from "../team/refuse.ts";
import { changesAsked, changesPage, expectedVersion, memoryOff, shown, stale, tag, unavailable } from "./answer.ts";
import type { MemoryBackend } from "./contract.ts";
import { isReached, repositoryKey } from "./write.ts";

const itemBody = z.strictObject({ description: z.string(), content: z.string() });
const boardQuery = z.object({ repository: repositoryKey, branch: repositoryKey });
/** Without a name: all that this branch does not have. */
const adoptBody = z.strictObject({
  from: repositoryKey,
  src: z.enum(["agent", "user"]).exactOptional(),
  name: z.string().max(200).exactOptional(),
});
const undoBody = z.strictObject({ force: z.boolean().optional() });
const PATH = "/board/items/:src/:name";

const itemRoutes = new Hono<Env>()
  .use(PATH, async (c, next) => {
    const src = c.req.param("src");
    if (src !== "agent" && src !== "user") return refuse(c, noItem);
    c.set("src", src);
    return next();
  })
  .get(PATH, async (c) => {
    const { memory, place, src } = c.var;
    const read = await memory.store.read(() => findItem(place, src, c.req.param("name")));
    if (!read.ok) return refuse(c, unavailable(false));
    const { value: item } = read;
    return item ? c.json(shown(memory, item), 200, { etag: tag(item.version) }) : refuse(c, noItem);
  })
  .put(PATH, jsonBody(itemBody), async (c) => {
    const { memory, place, src } = c.var;
    const name = c.req.param("name");
    if (!memory.enabled) return refuse(c, memoryOff);
    const read = await memory.store.read(() => findItem(place, src, name));
    if (!read.ok) return refuse(c, unavailable(false));
    const { value: before } = read;
    const fits = before ? matches(c, memory, before) : ok(undefined);
    if (!fits.ok) return refuse(c, fits.error);
    if (!before && src !== "user") return refuse(c, forbiddenSrc);
    const { description, content } = c.req.valid("json");
    const checked = checkItem(memory.redactor, { name, description, content });
    if (!checked.ok) return refuse(c, { ...invalid(checked.error.message), code: checked.error.code });
    const { text } = checked.value;
    const result = await putItem(memory.store, place, { src, text, at: memory.clock.now() }, writerOf(memory, before));
    if (!result.ok) return refuse(c, unavailable(mayBeWritten(result.error)));
    const { value: outcome } = result;
    if (outcome.type === "board_full") return refuse(c, full);
    if (outcome.type === "changed_since") return refuse(c, outcome.now ? changed(memory, outcome.now) : noItem);
    const after = await memory.store.read(() => findItem(place, src, name));
    if (!after.ok) return refuse(c, unavailable(true));
    const { value: item } = after;
    return item ? c.json(shown(memory, item), before ? 200 : 201, { etag: tag(item.version) }) : refuse(c, noItem);
  })
  .delete(PATH, async (c) => {
    const { memory, place, src } = c.var;
    const name = c.req.param("name");
    const read = await memory.store.read(() => findItem(place, src, name));
    if (!read.ok) return refuse(c, unavailable(false));
    const { value: before } = read;
    if (!before) return refuse(c, noItem);
    const fits = matches(c, memory, before);
    if (!fits.ok) return refuse(c, fits.error);
    const at = memory.clock.now();
    const outcome = await removeItem(memory.store, place, { src, name, at }, writerOf(memory, before));
    if (!outcome.ok) return refuse(c, unavailable(mayBeWritten(outcome.error)));
    if (outcome.value.type === "changed_since" && outcome.value.now)
      return refuse(c, changed(memory, outcome.value.now));
    return c.body(null, 204);
  });

export const boardRoutes = new Hono<Env>()
  .use("/board/*", async (c, next) => {
    const query = boardQuery.safeParse(c.req.query());
    if (!query.success) return refuse(c, invalid("Which board? Add ?repository=KEY&branch=NAME."));
    const { redactor } = c.var.memory;
    const repository = repositoryNamed(redactor, query.data.repository);
    const branch = branchNamed(redactor, query.data.branch);
    if (repository === undefined || branch === undefined) return refuse(c, invalid(PLACE_REFUSED));
    if (!isReached(c.var.memory, repository)) return refuse(c, uncovered);
    c.set("place", { repository, branch });
    return next();
  })
  .get("/board", async (c) => {
    const { memory, place } = c.var;
    const read = await memory.store.read(() => listItems(place));
    if (!read.ok) return refuse(c, unavailable(false));
    const items = read.value.map((item) => {
      const { content: _left, ...rest } = shown(memory, item);
      return rest;
    });
    return c.json({ ...place, items, capacity: CAPACITY });
  })
  .get("/board/changes", paging, async (c) => {
    const { memory, place } = c.var;
    const query = changesAsked(c.req.valid("query"));
    if (!query.ok) return refuse(c, query.error);
    const changes = await memory.store.read(() => listChanges(place, { run: c.req.query("run"), ...query.value }));
    if (!changes.ok) return refuse(c, unavailable(false));
    return c.json(changesPage(memory, changes.value, query.value));
  })
  .post("/board/changes/:id/undo", jsonBody(undoBody), async (c) => {
    const { memory, place } = c.var;
    if (!memory.enabled) return refuse(c, memoryOff);
    const { force = false } = c.req.valid("json");
    const wanted = { which: c.req.param("id"), at: memory.clock.now(), force };
    const result = await undoChanges(memory.store, place, wanted, `rest:${memory.tokenName}`);
    if (!result.ok) return refuse(c, unavailable(mayBeWritten(result.error)));
    const { value: outcome } = result;
    if (outcome.type === "undone") return c.json({ outcome: "undone", items: outcome.items });
    if (outcome.type === "not_found") return refuse(c, noChange);
    return refuse(c, outcome.type === "board_full" ? full : { ...changedLater, details: { items: outcome.items } });
  })
  .post("/board/adopt", jsonBody(adoptBody), async (c) => {
    const { memory, place } = c.var;
    if (!memory.enabled) return refuse(c, memoryOff);
    const { from, src, name } = c.req.valid("json");
    const branch = branchNamed(memory.redactor, from);
    if (branch === undefined || branch === place.branch) return refuse(c, invalid("from: name another branch."));
    const isWanted = (item: BoardItem) => (!src || item.src === src) && (!name || item.name === name);
    const there = await memory.store.read(() => listItems({ ...place, branch }));
    if (!there.ok) return refuse(c, unavailable(false));
    const wanted = { items: there.value.filter(isWanted), at: memory.clock.now() };
    const adopted = await adoptItems(memory.store, place, wanted, writerOf(memory, undefined));
    return adopted.ok ? c.json(adopted.value) : refuse(c, unavailable(mayBeWritten(adopted.error)));
  })
  .route("/", itemRoutes);

/** Whether the caller has seen the item as it is now. */
function matches(c: Context<Env>, memory: MemoryBackend, item: BoardItem): Result<void, GatewayRefusal> {
  const version = expectedVersion(c);
  if (!version.ok) return version;
  if (version.value === undefined || version.value === item.version) return ok(undefined);
  return fail(changed(memory, item));
}

const changed = (memory: MemoryBackend, item: BoardItem): GatewayRefusal => stale(item.version, shown(memory, item));

/** What was just read must still stand there when it is changed. */
const writerOf = ({ tokenName }: MemoryBackend, before: BoardItem | undefined) => ({
  actor: `rest:${tokenName}`,
  source: {},
  seen: seenOf(before ? [before] : []),
});

const forbiddenSrc = refusal("invalid_inputs", {
  status: 403,
  code: "forbidden_src",
  message: "Only items with src user can be made here.",
});
const noItem = refusal("not_found", {
  message: "Item not found on this board.",
  hint: "GET /api/memory/board lists them.",
});
const full = refusal("invalid_inputs", {
  status: 409,
  code: "board_full",
  message: `The board is full: it has ${CAPACITY} items.`,
  hint: "Delete one first.",
});
const noChange = refusal("not_found", {
  message: "Change not found on this board.",
  hint: "GET /api/memory/board/changes lists them.",
});
const changedLater = refusal("invalid_inputs", {
  status: 409,
  code: "changed_later",
  message: "Somebody changed it again later. Nothing was undone.",
  hint: 'Send {"force": true} to undo it anyway.',
});
