// XB23: two gateways on one home: one conversation through both by turns, and both at once; nothing is lost, nothing is there twice.
import { expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { startGateway } from "./gateway.ts";
import { extendsLast, lastSent, linesWith, marker, SESSION, SMALL_WINDOW, send } from "./growing.ts";

it("XB23 P11 both serve, lanes go from one to the other, each item is stored once and each line is there once", async () => {
  const server = await startModelServer({ script: () => text("ok") });
  const first = await startGateway(server, { env: SMALL_WINDOW });
  const second = await startGateway(server, { place: first.place, beside: first });
  const gateways = [first, second];
  expect(second.pid).not.toBe(first.pid);
  let before = "";
  let epoch: string | undefined;
  const actions = new Set<string | undefined>();
  for (let turns = 4; turns < 44; turns++) {
    const gateway = gateways[turns % 2] ?? first;
    const answer = await send(gateway, turns);
    actions.add(answer.header("x-everlong-action"));
    expect([answer.status, answer.header("x-everlong-session")], `turn ${turns}`).toEqual([200, SESSION]);
    // Whoever sends it, the request goes on with the bytes of the one before until an epoch ends.
    if (answer.header("x-everlong-epoch") === epoch)
      expect(extendsLast(lastSent(server), before), `turn ${turns}`).toBe(true);
    epoch = answer.header("x-everlong-epoch");
    before = lastSent(server);
  }
  expect(actions).toContain("trim");
  // On a busy machine one of them may not get its turn in time: its next request brings the same again.
  await expect.poll(async () => (await send(second, 43)).header("x-everlong-action")).toBe("trim");
  const stats = async (): Promise<unknown> => (await first.api("/api/proxy/stats")).json();
  await expect.poll(stats).toMatchObject({ stored: 87 });
  for (let turn = 0; turn < 43; turn++)
    for (const role of ["user", "assistant"] as const) {
      const isSent = before.includes(marker(turn, role));
      expect(linesWith(first, marker(turn, role)), `${marker(turn, role)}`).toBeLessThanOrEqual(1);
      if (!isSent) expect(linesWith(first, marker(turn, role)), `${marker(turn, role)} is in the log`).toBe(1);
    }
  // Both at once, on the same lane: one of them finds it changed and goes on from there.
  const both = await Promise.all(gateways.flatMap((gateway) => [send(gateway, 45), send(gateway, 46)]));
  expect(both.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  await expect.poll(async () => (await send(first, 46)).header("x-everlong-action")).toBe("trim");
  await expect.poll(stats).toMatchObject({ stored: 93 });
  expect(server.rejected).toEqual([]);
  for (const gateway of gateways) expect((await gateway.stop()).code).toBe(0);
  await server.close();
});
