// Proxied sessions as management sees them: listed, shown with their lanes, erased.
import { optional } from "../../base/optional.ts";
import { fail, ok } from "../../base/result.ts";
import { deleteAllSessions, deleteSession } from "../../proxy/store/delete.ts";
import { lanesOf } from "../../proxy/store/lane.ts";
import type { StoredLane } from "../../proxy/store/lane-row.ts";
import { listSessions } from "../../proxy/store/list.ts";
import type { ProxySession } from "../../proxy/store/session.ts";
import { totals } from "../../proxy/store/totals.ts";
import type { LaneRow, ProxiedSessionRow, ProxyOperations } from "./contract.ts";
import type { ManageParts } from "./parts.ts";
import { sessionNamed, unknownSession } from "./session-named.ts";
import { specView } from "./texts.ts";

type SessionPart = Pick<ProxyOperations, "sessions" | "session" | "deleteSession" | "deleteAllSessions">;

export function sessionOperations(parts: ManageParts): SessionPart {
  const { store, owner, index, settings } = parts;
  return {
    async sessions(query) {
      const list = await listSessions(store, { ...query, ...optional("owner", owner) });
      if (!list.ok) return list;
      return ok({ items: list.value.sessions.map(rowOf), ...optional("next", list.value.next) });
    },
    async session(id) {
      const session = await sessionNamed(parts, id);
      if (!session.ok) return session;
      const [lanes, sums, texts] = [
        await lanesOf(store, session.value),
        await totals(store, session.value),
        await store.files.texts(session.value),
      ];
      if (!lanes.ok) return lanes;
      if (!sums.ok) return sums;
      if (!texts.ok) return texts;
      const { todo, pinned, summary, spec } = texts.value;
      return ok({
        ...rowOf(session.value),
        directory: session.value.path,
        lanes: lanes.value.map(laneRow),
        totals: sums.value,
        files: { todo: todo.length, pinned: pinned.length, summary: summary.length },
        spec: specView(spec, settings.specMode),
      });
    },
    async deleteSession(id) {
      const session = await sessionNamed(parts, id);
      if (!session.ok) return session;
      const gone = await deleteSession(store, id, index);
      if (!gone.ok) return gone;
      return gone.value ? ok({ deleted: 1 }) : fail(unknownSession(id));
    },
    async deleteAllSessions() {
      const gone = await deleteAllSessions(store, index, owner);
      return gone.ok ? ok({ deleted: gone.value }) : gone;
    },
  };
}

const rowOf = ({ no: _no, path: _path, identity: _identity, ...row }: ProxySession): ProxiedSessionRow => row;

const laneRow = ({ id, kind, length, epoch, reason, model, cut, insertions }: StoredLane): LaneRow => ({
  id,
  kind,
  items: length,
  epoch,
  ...optional("reason", reason),
  ...optional("model", model),
  dropped: cut?.dropped.length ?? 0,
  shortened: Object.keys(cut?.shortened ?? {}).length,
  insertions: insertions.length,
});
