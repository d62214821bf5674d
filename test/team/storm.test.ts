// ME15, WE4: two nodes, two tenants, many clients, a node killed and the database restarted under them; then the history is checked.
import { expect, it } from "vitest";
import { startServer } from "../../src/store/postgres/server-fixture.ts";
import { type Operation, problemsIn } from "./history.ts";
import { type Answer, addMember, ask, fact, startNode, type TestMember } from "./nodes.ts";

const full = process.env["EVERLONG_SOAK"] !== undefined;
const CLIENTS = 8;
/** Each with a read; 10,000 operations with all clients in the full run. */
const EDITS = full ? 1000 : 25;
const TRIES = 200;

type Json = Record<string, unknown>;
const now = (): number => performance.now();
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it("ME15 WE2 WE4 M149 MI15 exact counts, no lost update, no stale read, no double effect, no row of another tenant", async () => {
  const server = await startServer();
  try {
    const url = await server.newUrl();
    const members = await Promise.all(
      ["acme", "globex"].map((tenant) =>
        addMember(url, `one --tenant ${tenant} --user ann --scope read,write,approve`),
      ),
    );
    const nodes = [await startNode(url), await startNode(url)];
    const histories = new Map(members.map(({ tenant }) => [tenant, [] as Operation[]]));
    let progress = 0;

    /** To any node; undefined: no answer, or one that says that it cannot now. */
    const send = async (who: TestMember, line: string, body?: unknown, headers?: Record<string, string>) => {
      const node = nodes[Math.floor(Math.random() * nodes.length)];
      const answer = node && (await ask(node, who, line, body, headers).catch(() => undefined));
      if (answer && answer.status < 500) return answer;
      await pause(20 + 60 * Math.random());
      return undefined;
    };
    /** Again until somebody answers: for what may be repeated. */
    const insist = async (...request: Parameters<typeof send>): Promise<Answer> => {
      for (let i = 0; i < TRIES; i++) {
        const answer = await send(...request);
        if (answer && answer.status !== 409) return answer;
      }
      throw new Error(`no answer to ${request[1]}`);
    };

    const shared = new Map<string, string>();
    const store = async (who: TestMember, key: string): Promise<string> => {
      const text = `first of ${key} in ${who.tenant}`;
      const start = now();
      const answer = await insist(who, "POST /api/memory/records", fact(text, { approved: true }), {
        "idempotency-key": key,
      });
      expect([200, 201]).toContain(answer.status);
      const id = String(answer.body["id"]);
      histories.get(who.tenant)?.push({ type: "store", key, text, start, end: now(), answer: { id } });
      return id;
    };
    for (const who of members) shared.set(who.tenant, await store(who, `shared-${who.tenant}`));

    const client = async (n: number): Promise<void> => {
      const who = members[n % members.length] as TestMember;
      const history = histories.get(who.tenant) ?? [];
      const own = await store(who, `key-${n}`);
      for (let i = 0; i < EDITS; i++) {
        const record = i % 3 === 0 ? String(shared.get(who.tenant)) : own;
        const line = `/api/memory/records/${record}`;
        const text = `edit ${i} of ${n}`;
        // Changed by somebody else meanwhile: read again. Not answered: whether it happened is seen in the end.
        for (let tries = 0; ; tries++) {
          if (tries === TRIES) throw new Error(`${text} never got through`);
          const readStart = now();
          const seen = await insist(who, `GET ${line}`);
          const version = Number(seen.body["version"]);
          history.push({ type: "read", record, start: readStart, end: now(), version });
          const start = now();
          const match = { "if-match": `"v${version}"` };
          const edited = await send(who, `PATCH ${line}`, { reason: text }, match);
          if (edited?.status === 412) continue;
          const answer = edited ? { version: Number(edited.body["version"]) } : ("lost" as const);
          if (edited) expect(edited.status).toBe(200);
          history.push({ type: "edit", record, text, start, end: now(), answer });
          break;
        }
        progress++;
      }
    };
    const reached = async (part: number): Promise<void> => {
      while (progress < CLIENTS * EDITS * part) await pause(10);
    };
    const faults = async (): Promise<void> => {
      await reached(0.2);
      await nodes[1]?.stop("SIGKILL");
      nodes.splice(1, 1, await startNode(url));
      await reached(0.5);
      await server.stop("SIGKILL");
      await pause(300);
      await server.start();
    };
    await Promise.all([faults(), ...Array.from({ length: CLIENTS }, (_, n) => client(n))]);

    for (const who of members) {
      const final = new Map<string, { version: number; texts: string[] }>();
      const { body } = await insist(who, "GET /api/memory/records?limit=500");
      for (const { id, version, fact: text } of body["items"] as { id: string; version: number; fact: string }[]) {
        expect(text).toContain(who.tenant);
        const texts: string[] = [];
        for (let after = ""; ; ) {
          const page = await insist(who, `GET /api/memory/changes?all=true&limit=500&memory=${id}${after}`);
          const changes = page.body["items"] as { id: number; action: string; after: Json }[];
          texts.push(...changes.map((one) => (one.action === "store" ? text : String(one.after["reason"]))));
          if (typeof page.body["next"] !== "string") break;
          after = `&after=${page.body["next"]}`;
        }
        final.set(id, { version, texts: texts.reverse() });
      }
      expect(final.size).toBe(1 + CLIENTS / 2);
      const history = histories.get(who.tenant) ?? [];
      expect(history.filter(({ type }) => type === "edit")).toHaveLength((CLIENTS / 2) * EDITS);
      expect(problemsIn(history, final)).toEqual([]);
    }
  } finally {
    await server.close();
  }
});
