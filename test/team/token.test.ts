// W11 over HTTP: an admin's token manages the tokens of its tenant through a node, and a revoked one ends on every node.
import { expect, it, vi } from "vitest";
import { sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { newPlace, run } from "../tool/everlong.ts";
import { addMember, ask, codeOf, startNode, type TestMember } from "./nodes.ts";

it("W11 M137 token add, list and revoke reach a node by its admin token; others get 403, another tenant is not theirs", async () => {
  const url = await sharedServer().newUrl();
  const root = await addMember(url, "root --tenant acme --user root --scope admin");
  const narrow = await addMember(url, "narrow --tenant acme --user nan --scope admin --repo acme/*");
  const eve = await addMember(url, "eve --tenant globex --user eve --scope read,write,approve,admin");
  const [one, two] = [await startNode(url), await startNode(url)];

  const place = newPlace({ EVERLONG_MEMORY_URL: one.url, EVERLONG_MEMORY_TOKEN: root.token });
  const wish = ["--tenant", "acme", "--user", "ann", "--scope", "read,write", "--repo", "Acme/App", "--expires", "30d"];
  const added = await run(place, ["token", "add", "ann", ...wish, "--json"]);
  expect([added.code, added.stderr]).toEqual([0, ""]);
  const ann = JSON.parse(added.stdout) as TestMember;
  expect(Object.keys(ann)).toEqual(["id", "name", "token", "tenant", "user", "scopes", "repositories", "expires"]);
  expect(ann).toMatchObject({ tenant: "acme", user: "ann", scopes: ["read", "write"], repositories: ["acme/app"] });
  expect((await ask(two, ann, "GET /api/memory/records")).status).toBe(200);
  const again = await run(place, ["token", "add", "ann", ...wish]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("acme has a token named ann")]);
  const odd = await run(place, ["token", "add", "Ann Lee", ...wish]);
  expect([odd.code, odd.stderr]).toEqual([1, expect.stringContaining("cannot be a name")]);

  const listed = await run(place, ["token", "list", "--json"]);
  const names = listed.stdout
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { name: string }).name);
  expect(names).toEqual(["root", "narrow", "ann"]);
  expect(listed.stdout).not.toMatch(/evl\.|hash/);

  // Whoever is no admin, and an admin beyond their tenant or repositories.
  for (const line of ["GET /api/tokens", "POST /api/tokens", "DELETE /api/tokens/root"])
    expect([line, ...codeOf(await ask(one, ann, line, line.startsWith("POST") ? {} : undefined))]).toEqual([
      line,
      403,
      "forbidden_scope",
    ]);
  const body = { name: "x", user: "x", scopes: ["read"] };
  expect(codeOf(await ask(one, eve, "POST /api/tokens", { ...body, tenant: "acme" }))).toEqual([
    403,
    "forbidden_tenant",
  ]);
  expect(codeOf(await ask(one, eve, "DELETE /api/tokens/root"))).toEqual([404, "no_such_token"]);
  expect(codeOf(await ask(one, eve, "GET /api/tokens?tenant=acme"))).toEqual([403, "forbidden_tenant"]);
  expect(codeOf(await ask(one, narrow, "POST /api/tokens", body))).toEqual([403, "forbidden_scope"]);
  const within = { ...body, repositories: ["acme/web"] };
  expect((await ask(one, narrow, "POST /api/tokens", within)).status).toBe(201);
  expect(codeOf(await ask(one, root, "GET /api/memory/records"))).toEqual([403, "forbidden_scope"]);
  expect((await ask(one, { token: "evl.acme.wrong" }, "GET /api/tokens")).status).toBe(401);

  // By its id, through one node; it ends on both.
  const named = newPlace({ EVERLONG_MEMORY_TOKEN: root.token });
  expect(await run(named, ["token", "revoke", ann.id, "--node", two.url])).toMatchObject({ code: 0 });
  for (const node of [one, two])
    await vi.waitUntil(async () => (await ask(node, ann, "GET /api/memory/records")).status === 401, {
      ...{ timeout: 5000, interval: 200 },
    });
  expect(await run(place, ["token", "revoke", "nobody"])).toMatchObject({ code: 1 });
  const lost = await run(newPlace({}), ["token", "list"]);
  expect([lost.code, lost.stderr]).toEqual([2, expect.stringContaining("EVERLONG_DATABASE_URL")]);
});
