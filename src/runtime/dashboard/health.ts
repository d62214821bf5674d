// How the home is: what waits, how large the store is, what went wrong of late and what to do about it; and the doctor.
import { statSync } from "node:fs";
import { ok } from "../../base/result.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { HealthView } from "../../schema/api/health.ts";
import type { Overview } from "../../schema/api/overview.ts";
import type { Health } from "../../server/contract.ts";
import type { Database } from "../../store/sqlite.ts";
import { recentFailures } from "../program-log.ts";
import type { Workspace } from "../workspace.ts";

export type HealthParts = {
  /** What the gateway has noticed itself. */
  noticed(): Health;
  facts(): Pick<HealthView, "on" | "off" | "upstreams">;
};

const MOST_ERRORS = 50;

export function healthOperations({ paths, redact }: Workspace, db: Database, parts: HealthParts) {
  const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const errors = (): HealthView["errors"] =>
    recentFailures(paths.logs, new Date())
      .slice(-MOST_ERRORS)
      .reverse()
      .map(({ at, part, code }) => ({ at, part, code, message: `${part}: ${code}`, todo: todoFor(part) }));
  return {
    /** Beside what the gateway knows of itself. */
    health(): Pick<HealthView, "queues" | "store" | "on" | "off" | "upstreams" | "errors"> {
      return {
        ...parts.facts(),
        queues: queuesOf(db),
        store: { path: paths.store, bytes: bytesOf(paths.store), walBytes: bytesOf(`${paths.store}-wal`) },
        errors: errors(),
      };
    },
    async doctor() {
      const { diagnose } = await import("../doctor/doctor.ts");
      const diagnosis = await diagnose({});
      if (!diagnosis.ok) return diagnosis;
      const { checks, counts } = diagnosis.value;
      return ok({
        counts,
        checks: checks.map(({ name, status, finding, fix }) => ({
          ...{ name, status, finding: redact(finding) },
          ...(fix === undefined ? {} : { fix: redact(fix) }),
        })),
      });
    },
    async warnings(): Promise<Overview["warnings"]> {
      const { checks } = parts.noticed();
      const noticed = checks
        .filter(({ status }) => status !== "ok")
        .map(({ name, finding }) => ({ name, finding, fix: todoFor(name) }));
      const stuck = queuesOf(db)
        .filter(({ dropped }) => dropped > 0)
        .map(({ name, dropped }) => ({
          name,
          finding: `${dropped} failed`,
          fix: "Run everlong doctor.",
        }));
      return [...noticed, ...stuck];
    },
  };
}

function queuesOf(db: Database): HealthView["queues"] {
  const count = (sql: string): number => Number(prepared(db, sql).get()?.["n"] ?? 0);
  return [
    {
      name: "meanings of texts",
      waiting: count("SELECT count(*) AS n FROM recall_waiting WHERE tries < 3"),
      dropped: count("SELECT count(*) AS n FROM recall_waiting WHERE tries >= 3"),
    },
    {
      name: "facts of episodes",
      waiting: count("SELECT count(*) AS n FROM graph_episode WHERE state IN ('queued', 'running')"),
      dropped: count("SELECT count(*) AS n FROM graph_episode WHERE state = 'parked'"),
    },
    {
      name: "proxied items to be stored",
      waiting: count("SELECT count(*) AS n FROM proxy_item WHERE stored = 0"),
      dropped: 0,
    },
  ];
}

const TODOS: Readonly<Record<string, string>> = {
  store: "Look at free space and at the home folder; everlong doctor --fix repairs what it can.",
  index: "Run everlong sessions reindex.",
  recall: "Searches worked without it; if it persists, run everlong doctor.",
  graph: "Facts are extracted later; if it persists, run everlong doctor.",
  gateway: "Please report it: the crash report is in the logs folder.",
};
const todoFor = (part: string): string => TODOS[part] ?? "If it persists, run everlong doctor.";
