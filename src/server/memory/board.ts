// /api/memory/board: items of a branch, read and changed as by the user's own hand.
import { type Context, Hono } from "hono";
import * as z from "zod";
import { fail, ok, type Result } from "../../base/result.ts";
import { listChanges, undoChanges } from "../../memory/board/change.ts";
import { checkItem } from "../../memory/board/check.ts";
import { type BoardItem, type BoardPlace, type Src, seenOf } from "../../memory/board/item.ts";
import { findItem, listItems } from "../../memory/board/row.ts";
import { putItem, removeItem } from "../../memory/board/store.ts";
import { branchNamed, PLACE_REFUSED, repositoryNamed } from "../../memory/place-name.ts";
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
import type { MemoryHouse, OpenMemoryDoor } from "./contract.ts";
import { repositoryKey } from "./write.ts";

const itemBody = z.strictObject({ description: z.string(), content: z.string() });
const boardQuery = z.object({ repository: repositoryKey, branch: repositoryKey });
const undoBody = z.strictObject({ force: z.boolean().optional() });
const PATH = "/board/items/:src/:name";

type Asked = { house: MemoryHouse; place: BoardPlace; src: Src; name: string };

export function boardRoutes(open: OpenMemoryDoor): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get("/board", async (c) => {
    const house = await open();
    if (!house.ok) return refuse(c, refusalOf(house.error));
    const place = placeIn(c, house.value);
    if (!place.ok) return refuse(c, place.error);
    const items = listItems(house.value.db, place.value).map((item) => {
      const { content: _left, ...rest } = shown(house.value, item);
      return rest;
    });
    return c.json({ ...place.value, items });
  });
  routes.get("/board/changes", async (c) => {
    const page = paging(c);
    const query = page.ok ? changesAsked(page.value) : page;
    if (!query.ok) return refuse(c, query.error);
    const house = await open();
    if (!house.ok) return refuse(c, refusalOf(house.error));
    const place = placeIn(c, house.value);
    if (!place.ok) return refuse(c, place.error);
    const changes = listChanges(house.value.db, place.value, { run: c.req.query("run"), ...query.value });
    return c.json(changesPage(house.value, changes, query.value));
  });
  routes.post("/board/changes/:id/undo", async (c) => {
    const body = await readJson(c.env.incoming, undoBody);
    if (!body.ok) return refuse(c, body.error);
    const house = await open();
    if (!house.ok) return refuse(c, refusalOf(house.error));
    const place = placeIn(c, house.value);
    if (!place.ok) return refuse(c, place.error);
    if (!house.value.enabled) return refuse(c, refusalOfFailure(missingClient(OFF)));
    const { db, clock, tokenName } = house.value;
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
    const { house, place, src, name } = target.value;
    const item = findItem(house.db, place, src, name);
    if (!item) return refuse(c, noItem);
    return c.json(shown(house, item), 200, { etag: tag(item.version) });
  });

  routes.put(PATH, async (c) => {
    const body = await readJson(c.env.incoming, itemBody);
    if (!body.ok) return refuse(c, body.error);
    const target = await askedOf(c, open);
    if (!target.ok) return refuse(c, target.error);
    const { house, place, src, name } = target.value;
    if (!house.enabled) return refuse(c, refusalOfFailure(missingClient(OFF)));
    const before = findItem(house.db, place, src, name);
    const fits = before ? matches(c, house, before) : ok(undefined);
    if (!fits.ok) return refuse(c, fits.error);
    if (!before && src !== "user")
      return refuse(c, {
        ...invalid("Only items with src user can be made here."),
        code: "forbidden_src",
        status: 403,
      });
    const { description, content } = body.value;
    const checked = checkItem(house.redactor, { name, description, context: content });
    if (!checked.ok) return refuse(c, { ...invalid(checked.error.message), code: checked.error.code });
    const { text } = checked.value;
    const result = await putItem(house.db, place, { src, text, at: house.clock.now() }, writerOf(house, before));
    if (!result.ok) return refuse(c, unavailable(true));
    const { value: outcome } = result;
    if (outcome.type === "board_full") return refuse(c, full);
    if (outcome.type === "changed_since") return refuse(c, outcome.now ? changed(house, outcome.now) : noItem);
    const item = findItem(house.db, place, src, name);
    return item ? c.json(shown(house, item), before ? 200 : 201, { etag: tag(item.version) }) : refuse(c, noItem);
  });

  routes.delete(PATH, async (c) => {
    const item = await askedOf(c, open);
    if (!item.ok) return refuse(c, item.error);
    const { house, place, src, name } = item.value;
    const before = findItem(house.db, place, src, name);
    if (!before) return refuse(c, noItem);
    const fits = matches(c, house, before);
    if (!fits.ok) return refuse(c, fits.error);
    const outcome = await removeItem(house.db, place, { src, name, at: house.clock.now() }, writerOf(house, before));
    if (!outcome.ok) return refuse(c, unavailable(true));
    if (outcome.value.type === "changed_since" && outcome.value.now)
      return refuse(c, changed(house, outcome.value.now));
    return c.body(null, 204);
  });
  return routes;
}

function placeIn(c: Context<Env>, { redactor }: MemoryHouse): Result<BoardPlace, GatewayRefusal> {
  const query = boardQuery.safeParse(c.req.query());
  if (!query.success) return fail(invalid("Which board? Add ?repository=KEY&branch=NAME."));
  const repository = repositoryNamed(redactor, query.data.repository);
  const branch = branchNamed(redactor, query.data.branch);
  if (repository === undefined || branch === undefined) return fail(invalid(PLACE_REFUSED));
  return ok({ repository, branch });
}

async function askedOf(c: Context<Env>, open: OpenMemoryDoor): Promise<Result<Asked, GatewayRefusal>> {
  const house = await open();
  if (!house.ok) return fail(refusalOf(house.error));
  const place = placeIn(c, house.value);
  if (!place.ok) return place;
  const { src, name = "" } = c.req.param() as { src?: string; name?: string };
  if (src !== "agent" && src !== "user") return fail(noItem);
  return ok({ house: house.value, place: place.value, src, name });
}

/** Whether the caller has seen the item as it is now. */
function matches(c: Context<Env>, house: MemoryHouse, item: BoardItem): Result<void, GatewayRefusal> {
  const version = expectedVersion(c);
  if (!version.ok) return version;
  if (version.value === undefined || version.value === item.version) return ok(undefined);
  return fail(changed(house, item));
}

const changed = (house: MemoryHouse, item: BoardItem): GatewayRefusal => stale(item.version, shown(house, item));

/** What was just read must still stand there when it is changed. */
const writerOf = ({ tokenName }: MemoryHouse, before: BoardItem | undefined) => ({
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
