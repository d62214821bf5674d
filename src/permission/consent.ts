// Consent: which endpoints text may be sent to from which folder, kept in EVERLONG_HOME/consent.json.

import { join } from "node:path";
import * as z from "zod";
import type { Failure } from "../base/failure.ts";
import { entryOf } from "../base/own-entry.ts";
import { fail, ok, type Result } from "../base/result.ts";
import type { UpdateFile } from "../settings/write.ts";
import { changeState, type PermissionFile, readState } from "./state-file.ts";

const graphitiConsent = z.union([
  z.looseObject({
    version: z.literal(1),
    workspace: z.string(),
    endpoint: z.string(),
    sends: z.array(z.string()),
    consentedAt: z.string(),
  }),
  z.looseObject({ version: z.literal(1), workspace: z.string(), endpoint: z.string(), declinedAt: z.string() }),
]);
/** For the exact address of a Graphiti server: what may be sent there, or that the person said no. */
type GraphitiConsent = z.infer<typeof graphitiConsent>;

const consents = z.looseObject({
  version: z.literal(1),
  /** When consent was given, by root and then by exact origin. */
  folders: z.record(z.string(), z.record(z.string(), z.string())),
  /** By root and then by exact endpoint. */
  graphiti: z.record(z.string(), z.record(z.string(), graphitiConsent)).optional(),
});
type Consents = z.infer<typeof consents>;

const file = (everlongHome: string): PermissionFile<Consents> => ({
  path: join(everlongHome, "consent.json"),
  schema: consents,
  empty: { version: 1, folders: {} },
});

type Consent = {
  root: string;
  origin: string;
  at: string;
  /** For a Graphiti server, by its exact address. */
  isGraphiti?: true;
};

/** False for anything that is not an http(s) address, and when the record cannot be read. */
export async function hasConsent(everlongHome: string, root: string, endpoint: string): Promise<boolean> {
  const origin = originOf(endpoint);
  const state = await readState(file(everlongHome));
  return origin.ok && state.ok && Object.hasOwn(state.value.folders[root] ?? {}, origin.value);
}

export async function grantConsent(
  everlongHome: string,
  root: string,
  endpoint: string,
  now: Date,
  update: UpdateFile,
): Promise<Result<unknown, Failure>> {
  const origin = originOf(endpoint);
  if (!origin.ok) return origin;
  const grant = (state: Consents): Consents => ({
    ...state,
    folders: { ...state.folders, [root]: { ...state.folders[root], [origin.value]: now.toISOString() } },
  });
  return changeState(file(everlongHome), grant, update);
}

export async function revokeConsent(
  everlongHome: string,
  root: string,
  endpoint: string,
  update: UpdateFile,
): Promise<Result<unknown, Failure>> {
  const origin = originOf(endpoint);
  if (!origin.ok) return origin;
  const revoke = (state: Consents): Consents => {
    const { [origin.value]: _gone, ...kept } = state.folders[root] ?? {};
    return { ...state, folders: { ...state.folders, [root]: kept } };
  };
  return changeState(file(everlongHome), revoke, update);
}

/** Undefined: nobody was asked, or the record cannot be read. */
export async function readGraphitiConsent(
  everlongHome: string,
  root: string,
  endpoint: string,
): Promise<GraphitiConsent | undefined> {
  const state = await readState(file(everlongHome));
  const answers = state.ok ? state.value.graphiti?.[root] : undefined;
  return answers && entryOf(answers, endpoint);
}

/** Without an answer the record is removed. */
export function saveGraphitiConsent(
  everlongHome: string,
  { root, endpoint, answer }: { root: string; endpoint: string; answer?: GraphitiConsent },
  update: UpdateFile,
): Promise<Result<unknown, Failure>> {
  const save = (state: Consents): Consents => {
    const { [endpoint]: _before, ...others } = state.graphiti?.[root] ?? {};
    const answers = { ...others, ...(answer ? { [endpoint]: answer } : {}) };
    return { ...state, graphiti: { ...state.graphiti, [root]: answers } };
  };
  return changeState(file(everlongHome), save, update);
}

export async function listConsents(everlongHome: string): Promise<Result<Consent[], Failure>> {
  const state = await readState(file(everlongHome));
  if (!state.ok) return state;
  return ok([
    ...Object.entries(state.value.folders).flatMap(([root, origins]) =>
      Object.entries(origins).map(([origin, at]) => ({ root, origin, at })),
    ),
    ...Object.entries(state.value.graphiti ?? {}).flatMap(([root, answers]) =>
      Object.values(answers).flatMap((answer) =>
        "sends" in answer
          ? [{ root, origin: answer.endpoint, at: String(answer["consentedAt"]), isGraphiti: true as const }]
          : [],
      ),
    ),
  ]);
}

/** Where the person said no for good. */
export async function listDeclined(everlongHome: string): Promise<Result<Consent[], Failure>> {
  const state = await readState(file(everlongHome));
  if (!state.ok) return state;
  return ok(
    Object.entries(state.value.graphiti ?? {}).flatMap(([root, answers]) =>
      Object.values(answers).flatMap((answer) =>
        "declinedAt" in answer ? [{ root, origin: answer.endpoint, at: String(answer["declinedAt"]) }] : [],
      ),
    ),
  );
}

/** Consent counts for scheme, host and port, whatever stands behind them. */
export function originOf(endpoint: string): Result<string, Failure> {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return ok(url.origin);
  return fail({
    code: "bad_endpoint",
    what: `${endpoint} is not an http or https address.`,
    data: "Nothing was changed.",
    next: "Give one such as https://embed.example.org.",
    exit: 2,
  });
}
