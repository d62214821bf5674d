// WE1: three agents over two nodes at random, cuts, nodes and the server killed under them; then every text is accounted for.
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { startServer } from "../../src/store/postgres/server-fixture.ts";
import { text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import type { TestGateway } from "../proxy/gateway.ts";
import { extendsLast } from "../proxy/growing.ts";
import { type Answer, call } from "../proxy/raw.ts";
import { CLIENTS } from "../proxy/wire-samples.ts";
import { addMember, type TestMember } from "./nodes.ts";
import { startProxiedNode, storedLines } from "./proxied.ts";

type Recorded = ModelServer["requests"][number];

const full = process.env["EVERLONG_SOAK"] !== undefined;
const TURNS = full ? 200 : 26;
const NODE_KILLS = full ? 30 : 3;
const SERVER_KILLS = full ? 5 : 1;
const TRIES = 400;
const FILLER = "the lexer reads the next token and the parser builds a node from it ".repeat(12);

const mark = (client: number, turn: number, role: string): string => `client-${client}-${role}-${turn}-end`;
const history = (client: number, turns: number) => [
  ...Array.from({ length: turns }, (_, n) => [
    { role: "user", content: `${mark(client, n, "user")} look at part ${n}. ${FILLER}` },
    { role: "assistant", content: `${mark(client, n, "assistant")} part ${n} is done. ${FILLER}` },
  ]).flat(),
  { role: "user", content: `${mark(client, turns, "user")} look at part ${turns}. ${FILLER}` },
];

it("WE1 W4 W6 W7 WB1 XI1 XI4 valid histories, kept prefixes, every dropped item stored once, nothing acknowledged lost, no row of another tenant", {
  timeout: full ? 3_600_000 : 240_000,
}, async () => {
  const model = await startModelServer({ script: () => text("ok") });
  const server = await startServer();
  try {
    const url = await server.newUrl();
    const members: TestMember[] = [
      await addMember(url, "one --tenant acme --user ann --scope read,write"),
      await addMember(url, "two --tenant acme --user bob --scope read,write"),
      await addMember(url, "three --tenant globex --user ann --scope read,write"),
    ];
    const nodes: TestGateway[] = [await startProxiedNode(url, model), await startProxiedNode(url, model)];
    const finals: string[] = [];
    const epochs: number[] = [];
    let progress = 0;

    /** The newest request of this client that went out, and no other is kept. */
    const outbound = (client: number): string => {
      const isOwn = ({ rawBody }: Recorded): boolean => rawBody.includes(mark(client, 0, "user"));
      const last = model.requests.findLast(isOwn)?.rawBody ?? "";
      for (let i = model.requests.length - 1; i >= 0; i--)
        if (isOwn(model.requests[i] as Recorded)) model.requests.splice(i, 1);
      return last;
    };
    const insist = async (client: number, turns: number, headers: Record<string, string>): Promise<Answer> => {
      for (let i = 0; i < TRIES; i++) {
        const node = nodes[Math.floor(Math.random() * nodes.length)] as TestGateway;
        const answer = await call(node.url + CLIENTS.chat.path, {
          headers: {
            ...{ ...CLIENTS.chat.headers, "X-Everlong-Session": "same", ...headers },
            "X-Everlong-Token": members[client]?.token ?? "",
          },
          body: JSON.stringify({ model: "gpt-4o", messages: history(client, turns) }),
        });
        if (answer.status === 200) return answer;
        await wait(50 + 100 * Math.random());
      }
      throw new Error(`client ${client} never got an answer to turn ${turns}`);
    };
    const agent = async (client: number): Promise<void> => {
      let before: { sent: string; epoch: string | undefined } | undefined;
      /** The one that was acknowledged, none at first, and those since then of which nobody can say whether they were stored. */
      let todos = [""];
      for (let turns = 1; turns <= TURNS; turns++) {
        const asks = turns % 9 === 4;
        const headers: Record<string, string> = asks ? { "X-Everlong-Todo": `todo of ${client} at ${turns}.` } : {};
        const answer = await insist(client, turns, headers);
        const sent = outbound(client);
        progress++;
        // Without the store it passed as it could; with it, it goes on where the last one was.
        const isStored = answer.header("x-everlong-action") !== "skip:store";
        if (asks) todos = [...(isStored ? [] : todos), `todo of ${client} at ${turns}.`];
        if (!isStored) continue;
        expect([client, turns, todos.some((one) => sent.includes(one))]).toEqual([client, turns, true]);
        const epoch = answer.header("x-everlong-epoch");
        if (before?.epoch === epoch)
          expect([client, turns, extendsLast(sent, before?.sent ?? "")]).toEqual([client, turns, true]);
        before = { sent, epoch };
      }
      // Once more, until the store has taken part.
      for (let i = 0; i < TRIES; i++) {
        const answer = await insist(client, TURNS, {});
        finals[client] = outbound(client);
        epochs[client] = Number(answer.header("x-everlong-epoch"));
        if (answer.header("x-everlong-action") !== "skip:store") return;
        await wait(100);
      }
      throw new Error(`the store never took part again for client ${client}`);
    };
    const faults = async (): Promise<void> => {
      const all = NODE_KILLS + SERVER_KILLS;
      const reached = async (part: number): Promise<void> => {
        while (progress < members.length * TURNS * part) await wait(10);
      };
      for (let i = 0; i < all; i++) {
        await reached((i + 1) / (all + 2));
        if (i % Math.ceil(all / SERVER_KILLS) === Math.floor(all / SERVER_KILLS / 2)) {
          await server.stop("SIGKILL");
          await wait(200);
          await server.start();
          continue;
        }
        const at = i % nodes.length;
        const node = nodes[at] as TestGateway;
        await node.stop("SIGKILL");
        nodes[at] = await node.restart();
      }
    };
    await Promise.all([faults(), ...members.map((_, client) => agent(client))]);

    expect(model.rejected).toEqual([]);
    for (const epoch of epochs) expect(epoch, "each history was cut").toBeGreaterThanOrEqual(1);
    const lines = await storedLines(server, url);
    const problems: string[] = [];
    for (const [client, { tenant, user }] of members.entries()) {
      const own = lines.filter((line) => line.identity === `${tenant}/${user}`);
      for (const line of own) {
        if (line.tenant !== tenant) problems.push(`a row of ${tenant} is ${line.tenant}'s`);
        if (!line.text.includes(`client-${client}-`)) problems.push(`${tenant}/${user} has another's text`);
      }
      for (let n = 0; n < TURNS; n++)
        for (const role of ["user", "assistant"]) {
          const count = own.filter(({ text: stored }) => stored.includes(mark(client, n, role))).length;
          if (count > 1) problems.push(`${mark(client, n, role)} is stored ${count} times`);
          if (count === 0 && !finals[client]?.includes(mark(client, n, role)))
            problems.push(`${mark(client, n, role)} is lost`);
        }
    }
    const hashes = lines.map(({ identity, session, hash }) => `${identity} ${session} ${hash}`);
    if (new Set(hashes).size !== hashes.length) problems.push("an item is stored twice");
    expect(problems).toEqual([]);
  } finally {
    await server.close();
    await model.close();
  }
});
