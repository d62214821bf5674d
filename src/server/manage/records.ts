// What was done to requests: records with the beginnings of their texts, log lines, figures.
import { optional } from "../../base/optional.ts";
import { fail, ok } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import type { RecordRow } from "../../proxy/contract.ts";
import { textOf } from "../../proxy/store/list.ts";
import { listRequests, requestById } from "../../proxy/store/records.ts";
import { type ProxySession, sessionById } from "../../proxy/store/session.ts";
import { totals } from "../../proxy/store/totals.ts";
import type { ProxyOperations } from "./contract.ts";
import type { ManageParts } from "./parts.ts";
import { sessionNamed } from "./session-named.ts";
import { whyNothing } from "./why-nothing.ts";

type RecordPart = Pick<ProxyOperations, "events" | "requests" | "request" | "stats">;

const BEGINNING = 160;

export function recordOperations(parts: ManageParts): RecordPart {
  const { store, owner } = parts;
  const withText = async (session: ProxySession, row: RecordRow): Promise<RecordRow & { text?: string }> => {
    if (row.own === undefined) return row;
    const text = await textOf(store, session, row.own);
    return text.ok && text.value !== undefined ? { ...row, text: clip(text.value, BEGINNING) } : row;
  };
  return {
    async events(id, { after, kind, limit }) {
      const session = await sessionNamed(parts, id);
      if (!session.ok) return session;
      const from = after === undefined ? {} : { after: /^\d{1,15}$/.test(after) ? Number(after) : 0 };
      const list = await store.files.log(session.value, {
        ...from,
        ...optional("kind", kind),
        ...optional("limit", limit),
      });
      if (!list.ok) return list;
      const { events, next } = list.value;
      return ok({ items: events, ...optional("next", next === undefined ? undefined : String(next)) });
    },
    async requests({ session: id, ...page }) {
      const session = id === undefined ? ok(undefined) : await sessionNamed(parts, id);
      if (!session.ok) return session;
      const list = await listRequests(store, {
        ...page,
        ...optional("session", session.value),
        ...optional("owner", owner),
      });
      return list.ok ? ok({ items: list.value.records, ...optional("next", list.value.next) }) : list;
    },
    async request(id) {
      const record = await requestById(store, id);
      if (!record.ok) return record;
      if (!record.value) return fail(unknownRequest(id));
      const session = await sessionById(store, record.value.session ?? "");
      if (owner !== undefined && !(session.ok && session.value?.identity === owner)) return fail(unknownRequest(id));
      const why = optional("whyNothing", whyNothing(record.value));
      if (!session.ok || !session.value) return ok({ ...record.value, ...why });
      const items: (RecordRow & { text?: string })[] = [];
      for (const row of record.value.items) items.push(await withText(session.value, row));
      return ok({ ...record.value, ...why, items });
    },
    async stats(id) {
      const session = id === undefined ? ok(undefined) : await sessionNamed(parts, id);
      return session.ok ? totals(store, session.value ?? (owner === undefined ? undefined : { owner })) : session;
    },
  };
}

export const unknownRequest = (id: string) => ({
  code: "request_not_found",
  what: `Request not found: ${id.slice(0, 80)}.`,
  data: "The last 500 requests are recorded for 7 days; none with proxy.records=off.",
  next: "`everlong proxy why` shows the latest.",
  exit: 1 as const,
});
