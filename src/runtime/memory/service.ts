// The gateway's memory: records and board of this home, as /api/memory serves them.

import { systemClock } from "../../base/clock.ts";
import { ok } from "../../base/result.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import { newMemoryId } from "../../memory/record/id.ts";
import { parseRule } from "../../permission/rule.ts";
import type { MemoryBackend, OpenMemoryBackend } from "../../server/memory/contract.ts";
import { embeddedStore } from "../../store/embedded-store.ts";
import type { OpenHomeServices } from "../gateway/home-services.ts";
import { allInboxes, inboxOf, removeEntry, sidekicksOf } from "../sidekick/service.ts";
import { secretKey, type Workspace } from "../workspace.ts";
import { LOCAL_USER, treeOf } from "./strategy.ts";

/** The local token's name, until tokens have names of their own. */
const TOKEN = "local";

/** A gateway serves its own store, whatever strategy the agents of this home use: it is what they would ask. */
export function openMemoryService(workspace: Workspace, open: OpenHomeServices): OpenMemoryBackend {
  const { settings, paths, redact } = workspace;
  const { values } = settings;
  const denied = isMemoryDenied(workspace);
  const failures: MemoryBackend["failures"] = [];
  return async () => {
    const services = await open();
    if (!services.ok) return services;
    const { embeddedStrategy } = await import("../../memory/record/embedded/strategy.ts");
    const { db, redactor } = services.value;
    const hashKey = secretKey(paths.home);
    const parts = {
      open: async () => ok(db),
      hashKey,
      user: LOCAL_USER,
      clock: systemClock,
      redact,
    };
    return ok({
      enabled: values["memory.enabled"],
      userScope: values["memory.userScope"],
      store: embeddedStore(db),
      strategy: (inside) => embeddedStrategy({ ...parts, ...(inside ? { inside } : {}) }),
      user: LOCAL_USER,
      mayApprove: true,
      tokenName: TOKEN,
      denied,
      bound: { maxTokens: values["memory.prompt.maxTokens"], maxRecords: values["memory.prompt.maxRecords"] },
      redactor,
      redact,
      hashKey,
      newId: () => newMemoryId(),
      failures,
      inbox: (session) => (session === undefined ? allInboxes(workspace, db) : inboxOf(workspace, session)),
      removeInbox: (session, id) => removeEntry(workspace, session, id),
      sidekicks: () => sidekicksOf(workspace, db),
      tree(repository) {
        const folder = prepared(
          db,
          "SELECT COALESCE(git_root, cwd) AS folder FROM sessions WHERE repository = ? ORDER BY updated_at DESC LIMIT 1",
        ).get(repository)?.["folder"];
        return typeof folder === "string" ? treeOf({ ...workspace, root: folder }, folder) : undefined;
      },
      clock: systemClock,
    });
  };
}

/** A rule forbids changing memories. */
export const isMemoryDenied = ({ settings: { values } }: Workspace): boolean =>
  values["permissions.deny"].some((text) => {
    const rule = parseRule(text);
    return rule.ok && rule.value.kind === "memory";
  });
