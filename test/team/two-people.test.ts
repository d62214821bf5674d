// PE10, B44: two people behind one node of a team, with the same session key, repository and words.
import { expect, it, onTestFinished } from "vitest";
import { sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { filler } from "../proxy/filler.ts";
import { FIRST_CUT_ENV } from "../proxy/first-cut.ts";
import { startGateway } from "../proxy/gateway.ts";
import { chat, OPENCODE, ScriptedClient } from "../proxy/scripted-client.ts";
import { soakCount } from "../tool/soak.ts";
import { addMember, ask, codeOf, fact, startNode } from "./nodes.ts";

it("PE10 WE2 SEC11 interleaved turns of two members: no marker of one in any request or answer of the other", async () => {
  const url = await sharedServer().newUrl();
  const server = await startModelServer({ script: () => text("Understood.") });
  onTestFinished(() => server.close());
  const members = [
    await addMember(url, "ann --tenant acme --user ann --scope read,write"),
    await addMember(url, "bob --tenant acme --user bob --scope read,write"),
    await addMember(url, "eve --tenant globex --user ann --scope read,write"),
  ];
  const gateway = await startGateway(server, { env: { EVERLONG_DATABASE_URL: url, ...FIRST_CUT_ENV } });
  const people = members.map(({ token }, n) => ({
    mark: `MARK-${"ABC"[n]}`,
    client: new ScriptedClient(gateway, chat({ headers: { ...OPENCODE, "x-session-affinity": "the-same-key" } }), {
      "x-everlong-token": token,
      "x-everlong-repo": "acme/app",
      authorization: "Bearer sk-the-same-key-000000",
    }),
  }));
  let cuts = 0;
  for (let turn = 0; turn < soakCount(14, 200); turn++)
    for (const { mark, client } of people) {
      const words = `the deploy code of the harbour crane ${mark}-${turn}`;
      const prompt =
        turn % 3 === 2 ? "What is the deploy code of the harbour crane?" : `Note ${words}. ${filler(9000, turn)}`;
      const answer = await client.ask(prompt);
      expect(answer.status, answer.text).toBe(200);
      if (answer.headers.get("x-everlong-action") === "trim") cuts++;
      const seen = `${server.requests.at(-1)?.rawBody ?? ""}${answer.text}`;
      const others = people.filter((one) => one.mark !== mark).map((one) => one.mark);
      expect(others.filter((other) => seen.includes(other))).toEqual([]);
    }
  // The histories were long enough for the gateway to store, cut and quote.
  expect(cuts).toBeGreaterThan(3);
  const quoted = server.requests.filter(({ rawBody }) => /<everlong_recall>[\s\S]*MARK-/.test(rawBody));
  expect(quoted.length).toBeGreaterThan(0);
});

it("B44 PE10 another's record or session is as absent; a read token gets 403 on every way to write, and changes nothing", async () => {
  const url = await sharedServer().newUrl();
  const ann = await addMember(url, "ann --tenant acme --user ann --scope read,write,approve");
  const bob = await addMember(url, "bob --tenant acme --user bob --scope read,write,approve");
  const ron = await addMember(url, "ron --tenant acme --user ron --scope read");
  const node = await startNode(url);
  const own = { scope: "user", approved: true, author: "user", repository: undefined };
  const stored = await ask(node, ann, "POST /api/memory/records", fact("I like herons", own));
  const id = String(stored.body["id"]);
  const shared = await ask(node, ann, "POST /api/memory/records", fact("The build needs Node 24"));
  const board = "repository=acme/app&branch=main";
  const item = `/api/memory/board/items/user/plan?${board}`;
  expect((await ask(node, ann, `PUT ${item}`, { description: "d", content: "c" })).status).toBe(201);
  const record = `/api/memory/records/${String(shared.body["id"])}`;
  const writes: [string, unknown?][] = [
    ["POST /api/memory/records", fact("x y")],
    [`PATCH ${record}`, { reason: "z" }],
    [`DELETE ${record}`],
    [`POST ${record}/votes`, { direction: "upvote", reason: "r", fact: "f" }],
    [`POST ${record}/resolution`, { how: "accept" }],
    [`POST ${record}/verification`, { citations: [{ raw: "README.md:1", state: "missing" }] }],
    [`POST ${record}/check`, {}],
    ["POST /api/memory/votes", { direction: "upvote", reason: "r", fact: "The build needs Node 24" }],
    ["POST /api/memory/changes/1/undo", {}],
    ["POST /api/memory/import", {}],
    [`PUT ${item}`, { description: "d", content: "mine" }],
    [`DELETE ${item}`],
    [`POST /api/memory/board/adopt?${board}`, { from: "other" }],
    [`POST /api/memory/board/changes/1/undo?${board}`, {}],
  ];
  const state = async (): Promise<string> =>
    JSON.stringify([
      (await ask(node, ron, "GET /api/memory/records")).body,
      (await ask(node, ron, `GET /api/memory/board?${board}`)).body,
      (await ask(node, ron, "GET /api/memory/changes?all=true")).body,
    ]);
  const before = await state();
  for (const [line, body] of writes)
    expect([line, ...codeOf(await ask(node, ron, line, body, { "if-match": "*" }))]).toEqual([
      line,
      403,
      "forbidden_scope",
    ]);
  expect(await state()).toBe(before);
  expect(before).toContain("Node 24");
  expect(before).not.toContain("herons");

  for (const line of [
    `GET /api/memory/records/${id}`,
    `DELETE /api/memory/records/${id}`,
    "GET /api/proxy/sessions/the-same-key",
    "DELETE /api/proxy/sessions/the-same-key",
  ])
    expect([line, (await ask(node, bob, line, undefined, { "if-match": "*" })).status]).toEqual([line, 404]);
  expect((await ask(node, ann, `GET /api/memory/records/${id}`)).body["fact"]).toBe("I like herons");
});
