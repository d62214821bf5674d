// /api/memory/prompt: what a client puts into its system prompt, with a tag by which it knows that nothing changed.
import { createHash } from "node:crypto";
import { Hono } from "hono";
import type { PromptAnswer, Scope } from "../../memory/record/contract.ts";
import { storeDefinition, voteDefinition } from "../../memory/record/tool/definition.ts";
import { clientGone } from "../../proxy/forward/deliver.ts";
import { invalid } from "../api/json-body.ts";
import { type Env, refuse } from "../api/reply.ts";
import { unavailableBy } from "./answer.ts";
import { placeOf, repositoryKey } from "./write.ts";

const MOST_TOKENS = 100_000;

export const promptRoutes = new Hono<Env>().get("/prompt", async (c) => {
  const { repository, scopes = "repository,user", budget } = c.req.query();
  if (repository !== undefined && !repositoryKey.safeParse(repository).success)
    return refuse(c, invalid("repository must have 1 to 500 characters."));
  const wanted = scopes.split(",");
  if (!wanted.every((one) => one === "repository" || one === "user"))
    return refuse(c, { ...invalid("scopes must be repository, user or both."), code: "invalid_scope" });
  if (budget !== undefined && !(/^[1-9]\d{0,5}$/.test(budget) && Number(budget) <= MOST_TOKENS))
    return refuse(c, invalid(`budget must be a whole number from 1 to ${MOST_TOKENS}.`));
  const { memory } = c.var;
  const { enabled, userScope, bound } = memory;
  if (!enabled) return c.json(OFF);
  const ask = {
    place: placeOf(memory, repository),
    scopes: (["repository", "user"] as const).filter(
      (one): one is Scope => wanted.includes(one) && (one !== "user" || userScope),
    ),
    maxTokens: budget === undefined ? bound.maxTokens : Number(budget),
    maxRecords: bound.maxRecords,
  };
  const prompt = await memory.strategy().prompt(ask, clientGone(c.env.outgoing));
  if (prompt.type === "failed") return refuse(c, unavailableBy(prompt));
  const text = JSON.stringify(prompt.answer);
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"`;
  if (c.req.header("if-none-match")?.includes(etag)) return c.body(null, 304, { etag });
  return c.body(text, 200, { etag, "content-type": "application/json; charset=utf-8" });
});

const OFF: PromptAnswer = {
  enabled: false,
  prompt: null,
  counts: { repository: 0, user: 0, total: 0, shown: 0 },
  stale: 0,
  storeInstructions: "",
  tools: { store: storeDefinition(true), vote: voteDefinition() },
};
