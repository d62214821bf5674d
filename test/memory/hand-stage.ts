// The user's hand on memories, as tests move it: the real command line, and an MCP client that stores from outside.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { gitInit } from "../agent/scene.ts";
import { overStdio, type Served } from "../mcp/client.ts";
import { type Finished, newPlace, PATIENT, type Place, run } from "../tool/everlong.ts";

export type Memory = {
  id: string;
  scope: string;
  subject: string;
  fact: string;
  version: number;
  status: { type: string; by?: string };
  repository: string | null;
  author: { kind: string };
  source: { client: string; origins: { kind: string }[]; trust: number };
  votes: { up: number; down: number; mine: string | null; disputed: boolean };
};

/** A repository with a file to cite. */
export function repository(env: Record<string, string> = {}): Place {
  const place = newPlace({ ...PATIENT, ...env });
  gitInit(place);
  return place;
}

/** Another repository beside it. */
export function otherFolder(place: Place): string {
  const other = join(dirname(place.home), "other");
  mkdirSync(other);
  execFileSync("git", ["init", "-q", "-b", "main"], { cwd: other });
  return other;
}

export const memory = (place: Place, args: string[], options: Parameters<typeof run>[2] = {}): Promise<Finished> =>
  run(place, ["memory", ...args], options);

export const rowsOf = ({ stdout }: Finished): Memory[] =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Memory);

export async function list(
  place: Place,
  args: string[] = [],
  options: Parameters<typeof run>[2] = {},
): Promise<Memory[]> {
  const done = await memory(place, ["list", "--json", ...args], options);
  expect(done.code, done.stderr).toBe(0);
  return rowsOf(done);
}

export async function add(
  place: Place,
  fact: string,
  more: string[] = [],
  options: Parameters<typeof run>[2] = {},
): Promise<string> {
  const texts = ["--subject", "build", "--fact", fact, "--cite", "user", "--reason", "it saves time"];
  const done = await memory(place, ["add", ...texts, ...more], options);
  expect(done.code, done.stderr).toBe(0);
  return /mem_\w{26}/.exec(done.stdout)?.[0] ?? "";
}

/** What a client's model stores: it is its own words, and nobody can be asked. */
export const storeOver = (served: Served, fact: string, scope?: string): Promise<string> =>
  served.call("store_memory", {
    subject: "build",
    fact,
    citations: ["README.md"],
    reason: "it saves time",
    ...(scope === undefined ? {} : { scope }),
  });

export async function allowMemory(place: Place): Promise<void> {
  const done = await run(place, ["settings", "set", "permissions.allow", "memory"]);
  expect(done.code, done.stderr).toBe(0);
}

/** A memory that waits for the user. */
export async function pending(place: Place, fact: string): Promise<string> {
  const told = await storeOver(await overStdio(place), fact, "user");
  expect(told).toMatch(/^pending_review: /);
  return /mem_\w{26}/.exec(told)?.[0] ?? "";
}
