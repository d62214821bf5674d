// /api/memory/board: items of a branch, read and changed as by the user's own hand.
import { type Context, Hono } from "hono";
import * as z from "zod";
import { fail, ok, type Result } from "../../base/result.ts";
import { listChanges, undoChanges } from "../../memory/board/change.ts";
import { checkItem } from "../../memory/board/check.ts";
import { type BoardItem, type BoardPlace, type Src, seenOf } from "../../memory/board/item.ts";
import { findItem, listItems } from "../../memory/board/row.ts";
import { putItem, removeItem } from "../../memory/board/store.ts";
import { givenBranch, givenRepository, PLACE_REFUSED } from "../../memory/given-place.ts";
import { OFF } from "../../memory/record/choose.ts";
import { missingClient } from "../../memory/record/failure.ts";
import { invalid, readJson } from "../api/json-body.ts";
import { type Env, paging, refuse } from "../api/reply.ts";
import type { GatewayRefusal } from "../contract.ts";
import { refusal, refusalOf } from "../refusal.ts";
import {
  changesAsked,
  changesPage,
  expectedVersion,
  refusalOfFailure,
  shown,
  stale,
  tag,
  unavailable,
} from "./answer.ts";
import type { MemoryApi, OpenMemoryApi } from "./contract.ts";
import { repositoryKey } from "./write.ts";

const itemBody = z.strictObject({ description: z.string(), content: z.string() });
const boardQuery = z.object({ repository: repositoryKey, branch: repositoryKey });
const undoBody = z.strictObject({ force: z.boolean().optional() });
const PATH = "/board/items/:src/:name";

type Asked = { api: MemoryApi; place: BoardPlace; src: Src; name: string };

export function boardRoutes(open: OpenMemoryApi): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get("/board", async (c) => {
    const api = await open();
    if (!api.ok) return refuse(c, refusalOf(api.error));
    const place = placeIn(c, api.value);
    if (!place.ok) return refuse(c, place.error);
    const items = listItems(api.value.db, place.value).map((item) => {
      const { content: _left, ...rest } = shown(api.value, item);
      return rest;
    });
    return c.json({ ...place.value, items });
  });
  routes.get("/board/changes", async (c) => {
    const page = paging(c);
    const query = page.ok ? changesAsked(page.value) : page;
    if (!query.ok) return refuse(c, query.error);
    const api = await open();
    if (!api.ok) return refuse(c, refusalOf(api.error));
    const place = placeIn(c, api.value);
    if (!place.ok) return refuse(c, place.error);
    const changes = listChanges(api.value.db, place.value, { run: c.req.query("run"), ...query.value });
    return c.json(changesPage(api.value, changes, query.value));
  });
  routes.post("/board/changes/:id/undo", async (c) => {
    const body = await readJson(c.env.incoming, undoBody);
    if (!body.ok) return refuse(c, body.error);
    const api = await open();
    if (!api.ok) return refuse(c, refusalOf(api.error));
    const place = placeIn(c, api.value);
    if (!place.ok) return refuse(c, place.error);
    if (!api.value.enabled) return refuse(c, refusalOfFailure(missingClient(OFF)));
    const { db, clock, tokenName } = api.value;
    const { force = false } = body.value;
    const wanted = { which: c.req.param("id"), at: clock.now(), force };
    const result = await undoChanges(db, place.value, wanted, `rest:${tokenName}`);
    if (!result.ok) return refuse(c, unavailable(true));
    const { value: outcome } = result;
    if (outcome.type === "undone") return c.json({ outcome: "undone", items: outcome.items });
    if (outcome.type === "not_found") return refuse(c, noChange);
    return refuse(c, outcome.type === "board_full" ? full : { ...changedLater, details: { items: outcome.items } });
  });

  routes.get(PATH, async (c) => {
    const target = await askedOf(c, open);
    if (!target.ok) return refuse(c, target.error);
    const { api, place, src, name } = target.value;
    const item = findItem(api.db, place, src, name);
    if (!item) return refuse(c, noItem);
    return c.json(shown(api, item), 200, { etag: tag(item.version) });
  });

  routes.put(PATH, async (c) => {
    const body = await readJson(c.env.incoming, itemBody);
    if (!body.ok) return refuse(c, body.error);
    const target = await askedOf(c, open);
    if (!target.ok) return refuse(c, target.error);
    const { api, place, src, name } = target.value;
    if (!api.enabled) return refuse(c, refusalOfFailure(missingClient(OFF)));
    const before = findItem(api.db, place, src, name);
    const fits = before ? matches(c, api, before) : ok(undefined);
    if (!fits.ok) return refuse(c, fits.error);
    if (!before && src !== "user")
      return refuse(c, {
        ...invalid("Only items with src user can be made here."),
        code: "forbidden_src",
        status: 403,
      });
    const { description, content } = body.value;
    const checked = checkItem(api.redactor, { name, description, context: content });
    if (!checked.ok) return refuse(c, { ...invalid(checked.error.message), code: checked.error.code });
    const { text } = checked.value;
    const result = await putItem(api.db, place, { src, text, at: api.clock.now() }, writerOf(api, before));
    if (!result.ok) return refuse(c, unavailable(true));
    const { value: outcome } = result;
    if (outcome.type === "board_full") return refuse(c, full);
    if (outcome.type === "changed_since") return refuse(c, outcome.now ? changed(api, outcome.now) : noItem);
    const item = findItem(api.db, place, src, name);
    return item ? c.json(shown(api, item), before ? 200 : 201, { etag: tag(item.version) }) : refuse(c, noItem);
  });

  routes.delete(PATH, async (c) => {
    const item = await askedOf(c, open);
    if (!item.ok) return refuse(c, item.error);
    const { api, place, src, name } = item.value;
    const before = findItem(api.db, place, src, name);
    if (!before) return refuse(c, noItem);
    const fits = matches(c, api, before);
    if (!fits.ok) return refuse(c, fits.error);
    const outcome = await removeItem(api.db, place, { src, name, at: api.clock.now() }, writerOf(api, before));
    if (!outcome.ok) return refuse(c, unavailable(true));
    if (outcome.value.type === "changed_since" && outcome.value.now) return refuse(c, changed(api, outcome.value.now));
    return c.body(null, 204);
  });
  return routes;
}

function placeIn(c: Context<Env>, { redactor }: MemoryApi): Result<BoardPlace, GatewayRefusal> {
  const query = boardQuery.safeParse(c.req.query());
  if (!query.success) return fail(invalid("Which board? Add ?repository=KEY&branch=NAME."));
  const repository = givenRepository(redactor, query.data.repository);
  const branch = givenBranch(redactor, query.data.branch);
  if (repository === undefined || branch === undefined) return fail(invalid(PLACE_REFUSED));
  return ok({ repository, branch });
}

async function askedOf(c: Context<Env>, open: OpenMemoryApi): Promise<Result<Asked, GatewayRefusal>> {
  const api = await open();
  if (!api.ok) return fail(refusalOf(api.error));
  const place = placeIn(c, api.value);
  if (!place.ok) return place;
  const { src, name = "" } = c.req.param() as { src?: string; name?: string };
  if (src !== "agent" && src !== "user") return fail(noItem);
  return ok({ api: api.value, place: place.value, src, name });
}

/** Whether the caller has seen the item as it is now. */
function matches(c: Context<Env>, api: MemoryApi, item: BoardItem): Result<void, GatewayRefusal> {
  const version = expectedVersion(c);
  if (!version.ok) return version;
  if (version.value === undefined || version.value === item.version) return ok(undefined);
  return fail(changed(api, item));
}

const changed = (api: MemoryApi, item: BoardItem): GatewayRefusal => stale(item.version, shown(api, item));

/** What was just read must still stand there when it is changed. */
const writerOf = ({ tokenName }: MemoryApi, before: BoardItem | undefined) => ({
  actor: `rest:${tokenName}`,
  source: {},
  seen: seenOf(before ? [before] : []),
});

const noItem = refusal("not_found", {
  message: "Item not found on this board.",
  hint: "GET /api/memory/board lists them.",
});
const full = refusal("invalid_inputs", {
  status: 409,
  code: "board_full",
  message: "The board has 25 items already.",
  hint: "Delete one first.",
});
const noChange = refusal("not_found", {
  message: "Change not found on this board.",
  hint: "GET /api/memory/board/changes lists them.",
});
const changedLater = refusal("invalid_inputs", {
  status: 409,
  code: "changed_later",
  message: "It was changed again afterwards; nothing was undone.",
  hint: 'Send {"force": true} to undo it anyway.',
});
