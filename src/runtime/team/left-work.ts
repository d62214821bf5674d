// Work in the background that no node has in hand, such as a dead one's: found also where nobody asks this node for that tenant.
import { listTenants } from "../../server/team/tokens.ts";
import { oneRow, type RowStore } from "../../store/unit.ts";

const LOOK_MS = 15_000;
/** However many tenants there are, so many are looked at each time, in turn. */
const TENANTS_AT_ONCE = 100;
const ASK_MS = 2000;

/** What others have in hand counts too: whoever takes work finds out whose lease has ended. */
const WAITS = `SELECT 1 AS n WHERE EXISTS (SELECT 1 FROM graph_episode WHERE state <> 'done' AND state IN ('queued', 'running'))
  OR EXISTS (SELECT 1 FROM recall_waiting WHERE tries < 3)`;

/** Gives what ends it. */
export function lookForWork(storeOf: (tenant: string) => RowStore, onFound: (tenant: string) => void): () => void {
  let next = 0;
  let isLooking = false;
  const look = async (): Promise<void> => {
    const listed = await storeOf("local").read(listTenants, { limitMs: ASK_MS });
    if (!listed.ok) return;
    const tenants = listed.value.slice(next, next + TENANTS_AT_ONCE);
    next = next + TENANTS_AT_ONCE < listed.value.length ? next + TENANTS_AT_ONCE : 0;
    for (const tenant of tenants) {
      const waits = await storeOf(tenant).read(() => oneRow(WAITS), { limitMs: ASK_MS });
      if (waits.ok && waits.value) onFound(tenant);
    }
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
