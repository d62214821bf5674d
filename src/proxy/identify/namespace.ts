// Where a request's meanings are searched: the repository that its client names.
import { createHash } from "node:crypto";
import { isRecord, parseJson } from "../../base/json.ts";
import type { Headers } from "../contract.ts";
import { utf8 } from "./header.ts";

/** The repository key of a folder, read from `.git` files. Must not throw; undefined when it has none. */
export type RepositoryKey = (folder: string) => string | undefined;

type NamespaceInput = {
  headers: Headers;
  body: Readonly<Record<string, unknown>>;
  loopback: boolean;
  repositoryKey: RepositoryKey;
};

const HEADERS = ["x-everlong-repo", "x-cliproxyapi-repo", "x-repo-path", "x-workspace-root", "x-project-root"];
const PATH = /^(?:\/|[a-z]:[\\/]|\\\\)/i;
/** The address of a remote may carry a credential, which is taken out. */
const CREDENTIAL = /^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i;
const MAX_CHARS = 400;

/** X81, first hit wins; undefined: the session alone. */
export function namespaceOf({ headers, body, loopback, repositoryKey }: NamespaceInput): string | undefined {
  const name = nameIn(headers, body);
  if (name === undefined) return undefined;
  const text = name.trim().replace(CREDENTIAL, "$1");
  const key = loopback && PATH.test(text) ? (repositoryKey(text) ?? text) : text;
  return key.length <= MAX_CHARS ? key : `h-${createHash("sha256").update(key).digest("hex")}`;
}

/** The folder that a client of this machine works in, when it names one. */
export function folderOf({ headers, body, loopback }: Omit<NamespaceInput, "repositoryKey">): string | undefined {
  const name = loopback ? nameIn(headers, body)?.trim() : undefined;
  return name !== undefined && PATH.test(name) ? name : undefined;
}

const nameIn = (headers: Headers, body: NamespaceInput["body"]): string | undefined =>
  HEADERS.map((header) => headerText(headers, header)).find(isName) ?? bodyRepo(body) ?? workspace(headers);

function isName(text: unknown): text is string {
  return typeof text === "string" && text.trim() !== "";
}

function headerText(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return value === undefined ? undefined : (utf8(value) ?? value);
}

function bodyRepo(body: Readonly<Record<string, unknown>>): string | undefined {
  const repo = isRecord(body["metadata"]) ? body["metadata"]["repo"] : undefined;
  return isName(repo) ? repo : undefined;
}

/** Codex names its folders as the keys of `workspaces`. */
function workspace(headers: Headers): string | undefined {
  const parsed = parseJson(headerText(headers, "x-codex-turn-metadata") ?? "null");
  const spaces = parsed.ok && isRecord(parsed.value) ? parsed.value["workspaces"] : undefined;
  return isRecord(spaces) ? Object.keys(spaces).find(isName) : undefined;
}
