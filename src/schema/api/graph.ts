// `/api/graph`: facts with their validity and sources, entities, episodes, promotions.
import * as z from "zod";

const named = z.object({ uuid: z.string(), name: z.string() });

const factShape = z.object({
  uuid: z.string(),
  group: z.string(),
  relation: z.string(),
  text: z.string(),
  subject: named,
  object: named,
  validAt: z.string(),
  invalidAt: z.string().nullable(),
  createdAt: z.string(),
  expiredAt: z.string().nullable(),
  origin: z.string(),
  trust: z.number(),
  /** The fact that took its place. */
  invalidatedBy: z.string().nullable(),
  reason: z.string().nullable(),
  state: z.enum(["current", "ended"]),
  sources: z.array(
    z.object({
      uuid: z.string(),
      name: z.string(),
      role: z.string().nullable(),
      /** The turn that it was said in. */
      session: z.string().exactOptional(),
      turn: z.number().exactOptional(),
    }),
  ),
});
export type FactShape = z.infer<typeof factShape>;

const entityShape = z.object({
  uuid: z.string(),
  group: z.string(),
  name: z.string(),
  label: z.string(),
  aliases: z.array(z.string()),
  summary: z.string(),
  createdAt: z.string(),
});
export type EntityShape = z.infer<typeof entityShape>;

const episodeShape = z.object({
  uuid: z.string(),
  group: z.string(),
  name: z.string(),
  source: z.string(),
  text: z.string(),
  role: z.string().nullable(),
  roleType: z.string(),
  validAt: z.string(),
  createdAt: z.string(),
  origin: z.string(),
  session: z.string().exactOptional(),
  turn: z.number().exactOptional(),
  state: z.enum(["queued", "running", "done", "parked"]),
  error: z.string().exactOptional(),
});

/** `GET /api/graph/search?query&scope&group&asOf&expired&limit`, `GET /api/graph/facts?entity&relation&asOf&expired&since&until&limit`. */
export const factList = z.object({ facts: z.array(factShape) });
/** `GET /api/graph/entities?entity&scope&group&limit`; `entity` is a name. */
export const entityList = z.object({ entities: z.array(entityShape) });
/** `GET /api/graph/entities/{uuid}?limit&after`: with the facts that join it to others, newest first. */
export const entityView = z.object({
  entity: entityShape,
  facts: z.array(factShape),
  next: z.string().nullish(),
  /** How many facts it has in all. */
  total: z.number().exactOptional(),
});
/** `GET /api/graph/episodes/{uuid}`. */
export const episodeView = z.object({ episode: episodeShape, facts: z.array(factShape) });
/** `GET /api/graph/timeline?entity&since&until&limit`, oldest first. */
export const factTimeline = z.object({
  timeline: z.array(z.object({ at: z.string(), type: z.enum(["begins", "ends"]), fact: factShape })),
});

/** `GET /api/graph/promotions`; `POST /api/graph/promotions/{id}/undo`. */
const promotionShape = z.object({
  id: z.string(),
  kind: z.string(),
  scope: z.string(),
  text: z.string(),
  at: z.string(),
  auto: z.boolean(),
  state: z.enum(["stored", "queued", "delivered", "parked"]),
});
export const promotionList = z.object({
  promotions: z.array(
    promotionShape.extend({
      /** The pin that was made from it and is in force. */
      pin: z.string().nullable(),
    }),
  ),
});
/** `GET /api/graph/pins`: in force, newest first; `DELETE /api/graph/pins/{id}`, `PUT|DELETE /api/graph/promotions/{id}/pin`. */
export const pinList = z.object({
  pins: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      level: z.enum(["session", "repository", "user"]),
      /** A session, a repository, or the user. */
      owner: z.string(),
      origin: z.enum(["hand", "typed", "promotion"]),
      session: z.string().exactOptional(),
      turn: z.number().exactOptional(),
      createdAt: z.string(),
    }),
  ),
});
export const pinChanged = z.object({ id: z.string(), active: z.boolean() });
export const promotionUndone = z.object({
  promotion: promotionShape,
  facts: z.number(),
  pins: z.number(),
  isGone: z.boolean(),
  isElsewhere: z.boolean(),
});

/** `DELETE /api/graph/facts/{uuid}`, `DELETE /api/graph/episodes/{uuid}`: how much went. */
export const graphForgotten = z.object({ facts: z.number(), episodes: z.number(), entities: z.number() });

/** `GET /api/graph/queue`: what waits to be read, and what could not be. */
export const graphQueue = z.object({
  counts: z.record(z.string(), z.number()),
  episodes: z.array(episodeShape),
});
