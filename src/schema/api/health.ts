// `GET /api/health` and `POST /api/health/doctor`: how the gateway is, what waits, what went wrong, what to do.
import * as z from "zod";

const healthStatus = z.enum(["ok", "degraded", "down"]);
export const healthView = z.object({
  status: healthStatus,
  version: z.string(),
  pid: z.number(),
  startedAt: z.string(),
  now: z.string(),
  checks: z.array(z.object({ name: z.string(), status: healthStatus, finding: z.string() })),
  counters: z.record(z.string(), z.number()),
  /** How many wait, and how many were given up. */
  queues: z.array(z.object({ name: z.string(), waiting: z.number(), dropped: z.number() })),
  store: z.object({ path: z.string(), bytes: z.number(), walBytes: z.number() }),
  /** What is switched on, and off. */
  on: z.array(z.string()),
  off: z.array(z.string()),
  upstreams: z.array(z.object({ name: z.string(), host: z.string(), key: z.boolean() })),
  /** Newest first. */
  errors: z.array(
    z.object({ at: z.string(), part: z.string(), code: z.string(), message: z.string(), todo: z.string() }),
  ),
});
export type HealthView = z.infer<typeof healthView>;

export const doctorView = z.object({
  checks: z.array(
    z.object({
      name: z.string(),
      status: z.enum(["ok", "warn", "fail"]),
      finding: z.string(),
      fix: z.string().exactOptional(),
    }),
  ),
  counts: z.object({ ok: z.number(), warn: z.number(), fail: z.number() }),
});
