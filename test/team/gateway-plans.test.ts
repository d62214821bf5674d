// W3: no table scan on the path of a proxied request or of the graph, on a tenant among others with thousands of rows.
import { expect, it } from "vitest";
import { rulesExtractor } from "../../src/memory/graph/extract/rules.ts";
import { day, must } from "../../src/memory/graph/graph-fixture.ts";
import { GraphIngest } from "../../src/memory/graph/ingest.ts";
import { graphStore } from "../../src/memory/graph/store/graph-store.ts";
import { rowFiles } from "../../src/proxy/files/row-files.ts";
import { dropItems } from "../../src/proxy/remember/events.ts";
import { rowItemIndex } from "../../src/proxy/remember/item-index.ts";
import { createProxyStore } from "../../src/proxy/store/handle.ts";
import { itemByRef, listSessions } from "../../src/proxy/store/list.ts";
import { finishRequest, listRequests } from "../../src/proxy/store/records.ts";
import {
  caller,
  history,
  recordOf,
  rememberOn,
  request,
  seeable,
  stepClock,
} from "../../src/proxy/store/store-fixture.ts";
import { newTeamDatabase } from "../../src/store/postgres/postgres-fixture.ts";
import { connectTo, recordingStore, type SentStatement, wholeScans } from "./plan-reader.ts";
import { recallRows } from "./recall-rows.ts";

const ROWS = 4000;
/** Of sixteen rows at most, or of a few for each session or model. */
const SMALL = /^(recall_removal|proxy_window): /;

const PROXIED = `
  INSERT INTO proxy_session (id, key, identity, family, signal, created_at, used_at)
    SELECT 's' || i, 'k' || i, 'u' || i % 50, 'codex', 'x', 't', 't' || i FROM generate_series(1, ${ROWS}) AS i;
  INSERT INTO proxy_member (session, identity, key) SELECT no, identity, key FROM proxy_session;
  INSERT INTO proxy_lane (session, kind, length, tail, answers, requests, outcome, version, state, plan, created_at, used_at)
    SELECT no, 'main', 3, 'tail' || no, 1, 1, 'complete', 1, '{}', '{}', 't', 't' FROM proxy_session;
  INSERT INTO proxy_chain (lane, position, link, own, strong, prompt, turn)
    SELECT id, p, 'link' || id || p, 'own' || id || p, 1, 0, 1 FROM proxy_lane, generate_series(0, 2) AS p;
  INSERT INTO proxy_item (session, own, turn, item, time, stored, indexed, text)
    SELECT no, 'own' || no || i, 1, i, 't', 1, 1, 'text' FROM proxy_session, generate_series(0, 2) AS i;
  INSERT INTO proxy_event (session, id, kind, line) SELECT no, 'own' || no || '0', 'chat', '{}' FROM proxy_session;
  INSERT INTO proxy_text (session, name, text) SELECT no, 'todo', 'x' FROM proxy_session;
  INSERT INTO proxy_total (session, model, name, value) SELECT no, 'm', 'requests', 1 FROM proxy_session;
  INSERT INTO proxy_request (id, session, time, bytes, record, owner)
    SELECT 'r' || no, no, 't' || no, 10, '{}', identity FROM proxy_session;`;

const GRAPH = `
  INSERT INTO graph_group (id, place, created_at) SELECT 'g' || i, '{"level":"group"}', 't' FROM generate_series(1, ${ROWS}) AS i;
  INSERT INTO graph_episode (uuid, group_id, key, name, source, source_description, text, role_type, valid_at, created_at, origin,
      metadata, state)
    SELECT 'e' || i, 'g' || i, 'k' || i, 'n', 'message', '', 'x', 'user', 't' || i, 't', 'api', '{}', 'done' FROM generate_series(1, ${ROWS}) AS i;
  INSERT INTO graph_entity (uuid, group_id, name, label, summary, attributes, created_at)
    SELECT 'n' || i, 'g' || i, 'n' || i, 'Thing', '', '{}', 't' FROM generate_series(1, ${ROWS}) AS i;
  INSERT INTO graph_alias (group_id, folded, label, entity, name, bands)
    SELECT group_id, name, label, uuid, name, '' FROM graph_entity;
  INSERT INTO graph_band (group_id, band, alias) SELECT group_id, 'b' || seq, seq FROM graph_alias;
  INSERT INTO graph_fact (uuid, group_id, relation, text, subject, object, slot, track, valid_at, created_at, origin, trust, attributes)
    SELECT 'f' || i, 'g' || i, 'IS', 'x', 'n' || i, 'n' || i, 's', 't' || i, 't' || i, 't', 'rule', 1, '{}' FROM generate_series(1, ${ROWS}) AS i;
  INSERT INTO graph_mention (fact, at, episode, text) SELECT uuid, 't', 'e' || substr(uuid, 2), 'x' FROM graph_fact;
  INSERT INTO graph_ending (subject, object, at, relation, episode, text) SELECT subject, object, 't', 'IS', 'e' || substr(uuid, 2), 'x' FROM graph_fact;`;

async function stage(fill: string) {
  const team = await newTeamDatabase();
  const client = await connectTo(team.url);
  for (const tenant of ["acme", "globex"])
    await client.query(`BEGIN; SET LOCAL everlong.tenant = '${tenant}'; ${recallRows(ROWS)} ${fill} COMMIT`);
  await client.query("VACUUM ANALYZE");
  const sent: SentStatement[] = [];
  return { client, sent, key: team.key, store: recordingStore(team.pool, "acme", sent) };
}

it("W3 every statement of a proxied request uses an index", async () => {
  const { client, sent, key, store: rows } = await stage(PROXIED);
  try {
    const store = createProxyStore({
      ...{ rows, files: rowFiles, key, clock: stepClock(), tenancy: "per-identity", onPathMs: 20_000 },
    });
    const index = rowItemIndex({ embed: true });
    for (const who of [caller("k", { identity: "u1" }), caller(undefined, { identity: "u2" })]) {
      const lines = ["u:task", "c:one", "r:one", "a:done", "u:more"];
      const first = await request(store, who, history(...lines), { record: recordOf(`a-${who.identity}`) });
      const items = history(...lines, "a:well", "u:next");
      const went = await request(store, who, items, { record: recordOf(`b-${who.identity}`) });
      expect(went.session.no).toBe(first.session.no);
      const remember = rememberOn(store, index);
      must(await remember.ensure(went.session, went.lane.id, items.flatMap(seeable)));
      await remember.close();
      const owns = items.flatMap((item) => item.own ?? []);
      must(await dropItems(store, went.session, went.lane.id, owns.slice(0, 2), "proxy"));
      await request(store, who, history("u:task", "c:one", "u:another"));
      must(await store.files.texts(went.session));
      must(await store.files.log(went.session, {}));
      must(await listSessions(store, { owner: who.identity }));
      must(await itemByRef(store, "t1.1", { session: went.session, owner: who.identity }));
      must(await listRequests(store, { owner: who.identity }));
      await finishRequest(store, recordOf(`b-${who.identity}`, { session: went.session.id, lane: went.lane.id }), {
        keep: true,
      });
      await store.laters.settled();
    }
    expect(sent.length).toBeGreaterThan(60);
    expect((await wholeScans(client, "acme", sent)).filter((scan) => !SMALL.test(scan))).toEqual([]);
  } finally {
    await client.end();
  }
});

it("W3 every statement of the graph uses an index", async () => {
  const { client, sent, store: rows } = await stage(GRAPH);
  try {
    const store = graphStore(rows);
    const said = (text: string, n: number) => ({
      name: `m${n}`,
      text,
      role: "Ann",
      roleType: "user" as const,
      validAt: day(n),
    });
    const episodes = [
      said("The lamp is now red.", 1),
      said("The lamp is now green.", 2),
      said("Ann works at Acme.", 3),
    ];
    must(await store.accept({ group: "g", origin: "api", episodes, now: day(9) }));
    const worker = new GraphIngest({ store, extractor: rulesExtractor });
    worker.wake();
    await worker.idle(60_000);
    const [fact] = must(await store.facts({ groups: ["g"] }));
    must(await store.facts({ ids: [fact?.uuid ?? ""] }));
    must(await store.facts({ groups: ["g"], asOf: day(2) }));
    must(await store.episodes({ groups: ["g"], last: 5 }));
    must(await store.entities({ groups: ["g"], name: "lamp" }));
    must(await store.forget({ type: "fact", id: fact?.uuid ?? "" }));
    expect(sent.length).toBeGreaterThan(40);
    expect((await wholeScans(client, "acme", sent)).filter((scan) => !SMALL.test(scan))).toEqual([]);
  } finally {
    await client.end();
  }
});
