// The whole gateway killed while items wait for its storing thread: after a restart every dropped item is stored exactly once.
import { join } from "node:path";
import { expect, it } from "vitest";
import { until } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { startGateway, type TestGateway } from "./gateway.ts";
import { lastSent, linesWith, marker, messagesOf, SESSION, SMALL_WINDOW, send } from "./growing.ts";
import { holding } from "./hold-store.ts";

/** The thread's own write alone: lanes and records, which the main thread writes, go on. */
const HOLD = `CREATE TRIGGER hold_thread BEFORE UPDATE OF stored ON proxy_item BEGIN SELECT RAISE(ABORT, 'held'); END`;
const markers = (turns: number): string[] =>
  Array.from({ length: turns }, (_, n) => [marker(n, "user"), marker(n, "assistant")]).flat();
const storeOf = ({ place }: TestGateway): string => join(place.home, "store.db");

it("X49 N13 PI4 XB22 killed while items wait for the storing thread: what leaves a request later is stored exactly once", async () => {
  const server = await startModelServer({ script: () => text("ok") });
  let gateway = await startGateway(server, { env: SMALL_WINDOW });
  await send(gateway, 2);
  for (const turns of [6, 10]) {
    const other = holding(storeOf(gateway), HOLD);
    const count = (stored: 0 | 1): number =>
      Number(other.prepare("SELECT count(*) AS n FROM proxy_item WHERE stored = ?").get(stored)?.["n"]);
    const before = count(1);
    expect((await send(gateway, turns)).status).toBe(200);
    await until("items that wait", () => count(0) >= 8);
    await gateway.stop("SIGKILL");
    expect(count(1), "none was stored").toBe(before);
    other.exec("DROP TRIGGER hold_thread");
    other.close();
    gateway = await gateway.restart();
    expect((await send(gateway, turns)).header("x-everlong-session")).toBe(SESSION);
  }
  // Now the history must be cut, and what leaves it is what was waiting when the gateway died.
  expect((await send(gateway, 30)).header("x-everlong-action")).toBe("trim");
  // An anchor quotes what has left: an item is in the request when its whole message is.
  const sent = messagesOf(lastSent(server));
  const dropped = markers(30).filter((one) => !sent.some((message) => message.includes(`"content":"${one}`)));
  // The first task stays.
  expect(dropped).toEqual(expect.arrayContaining(markers(10).slice(1)));
  await until("their lines", () => dropped.every((one) => linesWith(gateway, one) > 0));
  for (const one of dropped) expect(linesWith(gateway, one), one).toBe(1);
  await gateway.stop();
  const store = holding(storeOf(gateway), "");
  const rows = store.prepare("SELECT own, stored, dropped, logged FROM proxy_item").all();
  expect(new Set(rows.map(({ own }) => own)).size).toBe(rows.length);
  const gone = rows.filter((row) => row["dropped"] !== null);
  expect(gone).toHaveLength(dropped.length);
  for (const row of gone) expect([row["stored"], row["logged"]]).toEqual([1, 1]);
  expect(server.rejected).toEqual([]);
  await server.close();
});
