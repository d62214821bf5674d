// The dashboard's operations on the gateway's own store and the logs of this home.

import { statSync } from "node:fs";
import { systemClock } from "../../base/clock.ts";
import type { Failure } from "../../base/failure.ts";
import { mapTexts } from "../../base/json.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import type { ProxySettings } from "../../proxy/settings.ts";
import type { Overview, OverviewRange } from "../../schema/api/overview.ts";
import type { SessionControl } from "../../schema/session-control.ts";
import { type OperationOutcome, PAGE_ROWS, type Paging } from "../../server/manage/contract.ts";
import { requestInspection } from "../../server/manage/inspect.ts";
import { localOperations } from "../../server/manage/local.ts";
import { sessionIds } from "../../session/find-session.ts";
import type { HomeServices, OpenHomeServices } from "../gateway/home-services.ts";
import { askSession } from "../session/control/ask.ts";
import { removeSession } from "../session/remove-sessions.ts";
import type { Workspace } from "../workspace.ts";
import { invalidCursor } from "./cursor.ts";
import { SessionDigests } from "./digest.ts";
import { type HealthParts, healthOperations } from "./health.ts";
import { OverviewFigures } from "./overview.ts";
import { proxiedEvents } from "./proxied-events.ts";
import { exportStored, notOurs, renameStored, wrongTitle } from "./session-change.ts";
import { sessionDetail, unknownSession } from "./session-detail.ts";
import { eventsBackward, eventsForward, offsetIn } from "./session-events.ts";
import { listAllSessions, type SessionsQuery, sessionRowOf } from "./session-list.ts";
import { settingOperations } from "./settings.ts";
import { listTasks } from "./tasks.ts";

type SessionEventsQuery = Paging & { before?: string; types?: readonly string[] };

const LATEST = 10;
/** A page gets at most this much of one text in an event; the log has the rest. */
const MOST_CHARS = 100_000;

export type DashboardOperations = ReturnType<typeof settingOperations> &
  ReturnType<typeof operationsOn> & {
    /** Whether requests are recorded at all. */
    recording: boolean;
  };

/** `onLook`: somebody has a session open in a page. */
export function openDashboard(
  workspace: Workspace,
  settings: ProxySettings,
  open: OpenHomeServices,
  health: HealthParts & { onLook(session: string): void },
): () => Promise<Result<DashboardOperations, Failure>> {
  const looks = { digests: new SessionDigests(), figures: new OverviewFigures() };
  const own = { ...settingOperations(workspace), recording: settings.memory && settings.records };
  return async () => {
    const services = await open();
    if (!services.ok) return services;
    return ok({ ...own, ...operationsOn(workspace, settings, services.value, looks, health) });
  };
}

function operationsOn(
  workspace: Workspace,
  settings: ProxySettings,
  { store, db, recall, index, redactor }: HomeServices,
  looks: { digests: SessionDigests; figures: OverviewFigures },
  health: HealthParts & { onLook(session: string): void },
) {
  const { paths, redact } = workspace;
  const { digests, figures } = looks;
  const manage = { store, recall, index, redactor, settings, clock: systemClock };
  const proxied = localOperations(manage);
  const isOwn = (id: string): boolean =>
    /^[0-9a-f-]{36}$/.test(id) && (statSync(paths.session(id).dir, { throwIfNoEntry: false })?.isDirectory() ?? false);
  const shown = (text: string): string => redact(clip(text, MOST_CHARS));
  const healthPart = healthOperations(workspace, db, health);
  return {
    ...requestInspection({ ...manage, redact }),
    ...healthPart,
    async overview(range: OverviewRange): OperationOutcome<Overview> {
      const charts = figures.of(db, range, Date.now());
      const latest = listAllSessions(db, paths, { limit: LATEST });
      const warnings = await healthPart.warnings();
      return ok({ ...charts, sessions: latest?.items ?? [], warnings });
    },
    async sessions(query: SessionsQuery) {
      const page = listAllSessions(db, paths, query);
      return page ? ok(page) : fail(invalidCursor);
    },
    async session(id: string) {
      health.onLook(id);
      const digest = isOwn(id) ? await digests.of(id, paths.session(id)) : ok(undefined);
      if (!digest.ok) return digest;
      const row = sessionRowOf(db, paths, id);
      const view = row?.source === "gateway" ? await proxied.session(id) : ok(undefined);
      if (!view.ok) return view;
      const detail = sessionDetail(workspace, db, id, { digest: digest.value, proxied: view.value });
      return detail.ok ? ok({ ...detail.value, timeline: mapTexts(detail.value.timeline, redact) }) : detail;
    },
    async sessionEvents(id: string, { after, before, limit = PAGE_ROWS, types }: SessionEventsQuery) {
      health.onLook(id);
      const [from, until] = [after, before].map((cursor) => (cursor === undefined ? undefined : offsetIn(cursor)));
      if (
        (after !== undefined && from === undefined) ||
        (before !== undefined && before !== "end" && until === undefined)
      )
        return fail(invalidCursor);
      const wanted = { limit, ...(types ? { types } : {}) };
      const last = before === "end" ? Number.MAX_SAFE_INTEGER : until;
      if (!isOwn(id)) {
        if (sessionRowOf(db, paths, id)?.source !== "gateway") return fail(unknownSession(id));
        return ok(
          proxiedEvents(db, id, {
            limit,
            ...(from === undefined ? {} : { after: from }),
            ...(last === undefined ? {} : { before: last }),
          }),
        );
      }
      const session = paths.session(id);
      const page =
        last === undefined
          ? await eventsForward(session, from ?? 0, wanted)
          : await eventsBackward(session, last, wanted);
      if (!page.ok) return page;
      const items = page.value.items.map(({ cursor, event }) => ({
        cursor,
        event: { ...event, data: mapTexts(event.data, shown) },
      }));
      return ok({ ...page.value, items });
    },
    async renameSession(id: string, title: string) {
      if (!isOwn(id)) return fail(unknownSession(id));
      const renamed = await renameStored(workspace, db, id, title);
      if (!renamed.ok) return renamed;
      const row = sessionRowOf(db, paths, id);
      return row ? ok(row) : fail(unknownSession(id));
    },
    /** `title` is typed by the user: it must be the session's own. */
    async deleteSession(id: string, title: string) {
      const row = sessionRowOf(db, paths, id);
      if (!row) return fail(unknownSession(id));
      if (row.title !== title) return wrongTitle(row.title);
      if (row.source === "gateway") return proxied.deleteSession(id);
      const gone = await removeSession(db, id, workspace);
      return gone.ok ? ok({ deleted: 1 }) : gone;
    },
    /** Only a session of our agent that is open somewhere; the failure says how to go on with another. */
    async controlSession(id: string, control: SessionControl, signal: AbortSignal) {
      const row = sessionRowOf(db, paths, id);
      if (!row && !isOwn(id)) return fail(unknownSession(id));
      if (row && row.source !== "agent") return fail(notOurs(row));
      return askSession(paths, { session: id, from: "the dashboard", control }, signal);
    },
    async exportSession(id: string, format: string) {
      return isOwn(id) ? exportStored(workspace, id, format) : fail(unknownSession(id));
    },
    async tasks(session?: string) {
      if (session !== undefined && !sessionIds(paths.sessions).includes(session)) return fail(unknownSession(session));
      return ok({ items: await listTasks(workspace, db, digests, session) });
    },
  };
}
