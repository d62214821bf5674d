// Requests that real clients sent, recorded with a scripted model: structure, headers and ids as sent, long texts cut short.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type ClientRequest = {
  client: string;
  version: string;
  /** first, tool, resume, compaction, after-compaction, aux-…; with the wire where a client speaks several. */
  kind: string;
  path: string;
  query: string;
  /** Credentials are `KEY`; host, length and connection are left to who sends it again. */
  headers: Record<string, string>;
  body: Record<string, unknown>;
};

const folder = join(import.meta.dirname, "fixture");

export function clientRequests(): ClientRequest[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as ClientRequest);
}
