// A memory service for suites: the real gateway with the real routes on a store of its own; and a server that misbehaves.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { ok } from "../../src/base/result.ts";
import type { Place, Skip, Strategy } from "../../src/memory/record/contract.ts";
import { embeddedStrategy } from "../../src/memory/record/embedded/strategy.ts";
import { newMemoryId } from "../../src/memory/record/id.ts";
import { openService, type ServiceOptions } from "../../src/memory/record/strategy-service.ts";
import { secretFilter, secretRedactor } from "../../src/memory/secret/filter.ts";
import type { MemoryBackend } from "../../src/server/memory/contract.ts";
import type { GatewayOptions } from "../../src/server/options.ts";
import { openStage, type Stage } from "../../src/server/server-fixture.ts";
import { embeddedStore } from "../../src/store/embedded-store.ts";
import { migrate } from "../../src/store/migrate.ts";
import { storeMigrations } from "../../src/store/migrations.ts";
import { type Database, openDatabase } from "../../src/store/sqlite.ts";

export type MemoryStage = Stage & { memory: MemoryBackend; db: Database };

export async function openMemoryStage(
  more: Partial<MemoryBackend> = {},
  options: Pick<GatewayOptions, "memoryKey"> = {},
): Promise<MemoryStage> {
  const folder = mkdtempSync(join(tmpdir(), "everlong-memory-"));
  const opened = await openDatabase(join(folder, "store.db"));
  if (!opened.ok) throw new Error(opened.error.what);
  const db = opened.value;
  const migrated = await migrate(db, storeMigrations);
  if (!migrated.ok) throw new Error(migrated.error.what);
  const redact = secretFilter("k");
  const parts = { open: async () => ok(db), hashKey: "k", user: "local", clock: systemClock, redact };
  const memory: MemoryBackend = {
    enabled: true,
    userScope: true,
    store: embeddedStore(db),
    strategy: (inside) => embeddedStrategy({ ...parts, ...(inside ? { inside } : {}) }),
    user: "local",
    mayApprove: true,
    tokenName: "local",
    denied: false,
    bound: { maxTokens: 2000, maxRecords: 60 },
    redactor: secretRedactor("k"),
    hashKey: "k",
    redact,
    newId: () => newMemoryId(),
    failures: [],
    inbox: async () => ({ type: "no_session" }),
    removeInbox: async () => false,
    tree: () => undefined,
    sidekicks: async () => {
      throw new Error("no sidekicks on this stage");
    },
    clock: systemClock,
    ...more,
  };
  const stage = await openStage({ memory: async () => ok(memory), ...options });
  return {
    ...stage,
    memory,
    db,
    async end() {
      await stage.end();
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const PLACE: Place = { repository: "acme/widgets", user: "local" };

export const openAt = (url: string | undefined, more: Partial<ServiceOptions> = {}): Promise<Strategy | Skip> =>
  openService({
    url,
    timeoutMs: 5000,
    place: PLACE,
    userScope: true,
    trusted: true,
    hasConsent: async () => true,
    now: () => new Date().toISOString(),
    ...more,
  });

export async function ready(url: string, more: Partial<ServiceOptions> = {}): Promise<Strategy> {
  const made = await openAt(url, more);
  if (!("kind" in made)) throw new Error(made.message);
  return made;
}

export type Odd = {
  url: string;
  requests: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[];
  end(): Promise<void>;
};

/** A server that does as it is told, and remembers what it was asked. */
export async function oddServer(handle: (req: IncomingMessage, res: ServerResponse) => void): Promise<Odd> {
  const requests: Odd["requests"] = [];
  const server = createServer((req, res) => {
    let body = "";
    req.on("data", (chunk: Buffer) => {
      body += String(chunk);
    });
    req.on("end", () => {
      requests.push({ method: req.method ?? "", url: req.url ?? "", headers: req.headers, body });
      handle(req, res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async end() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
