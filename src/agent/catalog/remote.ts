// Agents of a remote catalogue: asked for over https or on this machine, after trust and consent, and kept for when it is away.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { isLoopback } from "../../base/address.ts";
import { readBody } from "../../base/body.ts";
import { causeOf, errorText } from "../../base/failure.ts";
import { isRecord, isTooDeep, parseJson } from "../../base/json.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { stripInvisible } from "../../base/text.ts";
import { atomicWrite } from "../../store/atomic-write.ts";
import type { FileWarning } from "../file/warning.ts";
import { type ParsedAgent, parseCustomAgent } from "./parse-agent.ts";

type RemoteCatalogOptions = {
  /** The setting `agent.catalogUrl`. */
  url: string;
  /** `owner/name` of the repository, when it has one. */
  repository: string | undefined;
  trusted: boolean;
  /** Only this machine may be asked. */
  offline: boolean;
  hasConsent: (url: string) => Promise<boolean>;
  folder: string;
  now: () => Date;
};

const FRESH_MS = 3_600_000;
const LIMIT_MS = 5000;
const MAX_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 3;

export async function remoteAgents(options: RemoteCatalogOptions): Promise<ParsedAgent[]> {
  const { url, trusted, offline } = options;
  const note = (message: string): ParsedAgent[] => [{ warnings: [warning(url, message)] }];
  if (!trusted) return [];
  const refusal = addressRefusal(url);
  if (refusal !== undefined) return note(refusal);
  const isLocal = isLoopback(url);
  if (!isLocal && !(await options.hasConsent(url)))
    return note(`it is not asked for agents without your consent: everlong consent grant ${new URL(url).origin}.`);
  const whole = addressOf(options);
  const copy = await readCopy(options.folder, whole);
  const age = copy ? options.now().getTime() - Date.parse(copy.at) : Number.POSITIVE_INFINITY;
  if (copy && age >= 0 && age < FRESH_MS) return agentsIn(url, copy.text);
  const text = offline && !isLocal ? fail("`offline` is set") : await fetchCatalogue(whole, copy, options);
  if (text.ok) return agentsIn(url, text.value);
  if (!copy) return note(`no agents could be had from it: ${text.error}.`);
  const stale = `${text.error}. The copy from ${hours(age)} ago is used.`;
  return [...note(stale), ...agentsIn(url, copy.text)];
}

function addressRefusal(url: string): string | undefined {
  const address = URL.parse(url);
  if (!address) return "agent.catalogUrl is not an address.";
  const isSafe = address.protocol === "https:" || (address.protocol === "http:" && isLoopback(url));
  return isSafe ? undefined : "agent.catalogUrl must be https, or an address of this machine.";
}

function addressOf({ url, repository }: RemoteCatalogOptions): string {
  const address = new URL(url);
  if (repository !== undefined) address.searchParams.set("repository", repository);
  return address.href;
}

async function fetchCatalogue(
  url: string,
  copy: RemoteCopy | undefined,
  { folder, now }: RemoteCatalogOptions,
): Promise<Result<string, string>> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const at = now().toISOString();
  try {
    const answer = await follow(url, copy?.etag === undefined ? {} : { "if-none-match": copy.etag }, signal);
    if (!answer.ok) return answer;
    const response = answer.value;
    if (response.status === 304 && copy) {
      await keepCopy(folder, { ...copy, at });
      return ok(copy.text);
    }
    if (!response.ok) {
      await response.body?.cancel();
      return fail(`it answered ${response.status}`);
    }
    const { bytes, cut } = await readBody(response.body, MAX_BYTES);
    if (cut) return fail("its answer is over 1 MB");
    const text = stripInvisible(bytes.toString("utf8")).text;
    const list = readList(text);
    if (!list.ok) return list;
    const etag = response.headers.get("etag");
    await keepCopy(folder, { version: 1, url, at, text, ...(etag === null ? {} : { etag }) });
    return ok(text);
  } catch (error) {
    if (signal.aborted) return fail(`it did not answer within ${LIMIT_MS / 1000} s`);
    return fail(`it cannot be reached: ${errorText(causeOf(error))}`);
  }
}

/** A redirect may lead to another path of the same server, and nowhere else. */
async function follow(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  left = MAX_REDIRECTS,
): Promise<Result<Response, string>> {
  const response = await fetch(url, {
    headers: { accept: "application/json", ...headers },
    redirect: "manual",
    signal,
  });
  const location = response.headers.get("location");
  if (response.status < 300 || response.status >= 400 || location === null) return ok(response);
  await response.body?.cancel();
  const next = URL.parse(location, url);
  if (next?.origin !== new URL(url).origin) return fail("it redirects to another host, which is not followed");
  return left > 0 ? follow(next.href, headers, signal, left - 1) : fail("it redirects without end");
}

function readList(text: string): Result<unknown[], string> {
  const json = parseJson(text);
  if (!json.ok) return fail("its answer is not JSON");
  const { value } = json;
  const isList = isRecord(value) && Array.isArray(value["agents"]) && !isTooDeep(value);
  return isList ? ok(value["agents"] as unknown[]) : fail("its answer has no list of agents");
}

function agentsIn(url: string, text: string): ParsedAgent[] {
  const list = readList(text);
  if (!list.ok) return [{ warnings: [warning(url, `${list.error}.`)] }];
  return list.value.map((entry, i) => {
    const path = `${url} (agent ${i + 1})`;
    if (!isRecord(entry)) return { warnings: [{ ...warning(path, "expected an object."), skipped: true }] };
    const { prompt, ...fields } = entry;
    const servers = withoutPrograms(path, fields["mcp-servers"]);
    const body = typeof prompt === "string" ? prompt.trim() : "";
    const parsed = parseCustomAgent(
      { path, origin: "remote", stem: "" },
      { fields: { ...fields, ...servers.field }, body },
    );
    return { ...parsed, warnings: [...servers.warnings, ...parsed.warnings] };
  });
}

/** A server that would start a program here is left out: nobody far away says what runs on this machine. */
function withoutPrograms(path: string, servers: unknown): { field: Record<string, unknown>; warnings: FileWarning[] } {
  if (!isRecord(servers)) return { field: {}, warnings: [] };
  const entries = Object.entries(servers);
  const isRemote = ([, server]: [string, unknown]): boolean =>
    isRecord(server) && typeof server["url"] === "string" && server["command"] === undefined;
  const warnings = entries
    .filter((entry) => !isRemote(entry))
    .map(([name]) => ({
      ...warning(path, `the server ${name} would start a program on this machine and is left out.`),
      field: "mcp-servers",
    }));
  return { field: { "mcp-servers": Object.fromEntries(entries.filter(isRemote)) }, warnings };
}

const warning = (path: string, message: string): FileWarning => ({ path, message, skipped: false });

const hours = (ms: number): string => {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
};

/** The kept copy of a catalogue: its text with its tag, by the address it came from. */
const remoteCopy = z.object({
  version: z.literal(1),
  url: z.string(),
  etag: z.string().optional(),
  at: z.iso.datetime(),
  text: z.string(),
});
type RemoteCopy = z.infer<typeof remoteCopy>;

const fileOf = (folder: string, url: string): string =>
  join(folder, `${createHash("sha256").update(url).digest("hex").slice(0, 32)}.json`);

/** Undefined when there is none that can be used: it is then fetched again. */
async function readCopy(folder: string, url: string): Promise<RemoteCopy | undefined> {
  const text = await readFile(fileOf(folder, url), "utf8").catch(() => undefined);
  const json = text === undefined ? undefined : parseJson(text);
  const copy = json?.ok ? remoteCopy.safeParse(json.value) : undefined;
  return copy?.success && copy.data.url === url ? copy.data : undefined;
}

/** A copy that cannot be kept is only fetched again next time. */
async function keepCopy(folder: string, copy: RemoteCopy): Promise<void> {
  await atomicWrite(fileOf(folder, copy.url), JSON.stringify(copy), { private: true });
}
