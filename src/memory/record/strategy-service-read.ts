// What a memory service answers, read with care: another program wrote it.
import * as z from "zod";
import { isRecord } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import {
  type Definition,
  type FailureCode,
  type MemoryChange,
  type MemoryRecord,
  type PromptAnswer,
  REFUSAL_CODES,
} from "./contract.ts";

const MAX_INSTRUCTIONS = 2000;
const text = z.string();
const count = z.number().int().min(0);
const definition = z.object({
  name: text,
  version: text,
  description: text,
  inputSchema: z.record(text, z.unknown()),
});
const promptAnswer = z.object({
  enabled: z.boolean(),
  prompt: text.nullable(),
  ids: z.array(text).optional().catch(undefined),
  counts: z.object({ repository: count, user: count, total: count, shown: count }),
  stale: count.catch(0),
  storeInstructions: text.default(""),
  tools: z.object({ store: definition, vote: definition.optional() }),
});

const FIELDS = {
  store: ["subject", "fact", "citations", "reason", "scope"],
  vote: ["fact", "direction", "reason"],
} as const;

type ReadPrompt = {
  answer: PromptAnswer;
  unsupported: { name: string; version: string }[];
  supportsScopes: boolean;
};

/** Definitions that this program does not know how to fill are left out and named. */
export function readPrompt(body: unknown): Result<ReadPrompt, string> {
  const read = promptAnswer.safeParse(body);
  if (!read.success) return fail(`${read.error.issues[0]?.path.join(".") || "the answer"} is not as expected.`);
  const { tools, ids, ...rest } = read.data;
  const unsupported: Definition[] = [];
  const definitionOf = (kind: "store" | "vote"): Definition | undefined => {
    const tool = tools[kind];
    if (!tool || isKnown(tool, kind)) return tool;
    unsupported.push(tool);
    return undefined;
  };
  const [store, vote] = [definitionOf("store"), definitionOf("vote")];
  const answer = {
    ...rest,
    ...optional("ids", ids),
    prompt: rest.enabled && rest.counts.total > 0 ? rest.prompt : null,
    storeInstructions: clip(rest.storeInstructions, MAX_INSTRUCTIONS),
    tools: { ...(store ? { store } : {}), ...(vote ? { vote } : {}) },
  };
  const supportsScopes = store !== undefined && propertiesOf(store).includes("scope");
  return ok({ answer, unsupported: unsupported.map(({ name, version }) => ({ name, version })), supportsScopes });
}

function isKnown(definition: Definition, kind: "store" | "vote"): boolean {
  const fields: readonly string[] = FIELDS[kind];
  const isRightName = definition.name === `${kind}_memory`;
  return (
    isRightName &&
    /^v?1(?:\.|$)/.test(definition.version) &&
    propertiesOf(definition).every((name) => fields.includes(name))
  );
}

const propertiesOf = ({ inputSchema }: Definition): string[] =>
  isRecord(inputSchema["properties"]) ? Object.keys(inputSchema["properties"]) : [];

export type ServiceError = { code: string; known?: FailureCode; message: string; details: unknown };

export function readError(body: unknown): ServiceError {
  const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
  const code = String(error["code"] ?? "");
  const message = typeof error["message"] === "string" ? clip(error["message"], 500) : "";
  const refusal = REFUSAL_CODES.find((one) => one === code);
  return { code, ...optional("known", refusal), message, details: error["details"] };
}

const iso = text.catch("1970-01-01T00:00:00.000Z");
const status = z
  .union([
    z.object({ type: z.enum(["pending", "active", "deleted"]) }),
    z.object({ type: z.literal("superseded"), by: text }),
  ])
  .catch({ type: "active" });
const citation = z.looseObject({
  raw: text,
  kind: z.enum(["file", "turn", "url", "user", "text"]).catch("text"),
  state: z.enum(["unchecked", "verified", "moved", "changed", "missing", "unverifiable"]).catch("unchecked"),
});
const record = z.looseObject({
  id: text.min(1).max(100),
  subject: text,
  fact: text,
  citations: z.array(citation).catch([]),
  reason: text.catch(""),
  scope: z.enum(["repository", "user"]),
  repository: text.nullable().catch(null),
  source: z
    .looseObject({
      client: text.catch(""),
      origins: z.array(z.looseObject({ kind: text })).catch([]),
      trust: z.number().catch(0.5),
    })
    .catch({ client: "service", origins: [], trust: 0.5 }),
  author: z
    .looseObject({ kind: z.enum(["user", "agent", "import"]), id: text, name: text })
    .catch({ kind: "import", id: "service", name: "service" }),
  createdAt: iso,
  updatedAt: iso,
  version: z.number().int().min(1).catch(1),
  votes: z
    .object({
      up: count,
      down: count,
      mine: z.enum(["upvote", "downvote"]).nullable(),
      disputed: z.boolean().catch(false),
    })
    .catch({ up: 0, down: 0, mine: null, disputed: false }),
  lastVerifiedAt: text.nullable().catch(null),
  verification: z.enum(["unverified", "none", "verified", "partial", "stale"]).catch("unverified"),
  status,
  recalls: z.object({ count, lastAt: text.nullable() }).catch({ count: 0, lastAt: null }),
});

export function readRecord(body: unknown): MemoryRecord | undefined {
  const read = record.safeParse(body);
  return read.success ? (read.data as MemoryRecord) : undefined;
}

const page = z.object({ items: z.array(z.unknown()), next: text.nullish() });

export function readPage(body: unknown): { items: unknown[]; next?: string } | undefined {
  const read = page.safeParse(body);
  if (!read.success) return undefined;
  const { items, next } = read.data;
  return { items, ...(next == null ? {} : { next }) };
}

export const readChanges = (items: readonly unknown[]): MemoryChange[] =>
  items.filter((one): one is MemoryChange => isRecord(one) && typeof one["id"] === "number");
