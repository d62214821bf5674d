// A token that is limited to some repositories: no spelling of a request, and none of the limit, gets past it or shuts it.
import { expect, it } from "vitest";
import { repositoryPattern } from "../../src/memory/record/reach.ts";
import type { MemoryBackend } from "../../src/server/memory/contract.ts";
import { placeOf } from "../../src/server/memory/write.ts";
import { sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { addMember, ask, codeOf, fact, startNode } from "./nodes.ts";

it("M139 W12 WB4 a repeated parameter does not open another repository; the limit may be written in any case", async () => {
  const url = await sharedServer().newUrl();
  const ann = await addMember(url, "ann --tenant acme --user ann --scope read,write,approve");
  const bob = await addMember(url, "bob --tenant acme --user bob --scope read,write --repo Acme/OK");
  const node = await startNode(url);
  const put = (who: { token: string }, query: string) =>
    ask(node, who, `PUT /api/memory/board/items/user/plan?${query}&branch=main`, { description: "d", content: "hush" });
  for (const [repository, text] of [
    ["other/secret", "Hidden from the others"],
    ["acme/ok", "Open to the limited one"],
  ] as const) {
    expect((await ask(node, ann, "POST /api/memory/records", fact(text, { repository }))).status).toBe(201);
    expect((await put(ann, `repository=${repository}`)).status).toBe(201);
  }

  const both = ["repository=other/secret&repository=acme/ok", "repository=acme/ok&%72epository=other/secret"];
  const unnamed = fact("Smuggled in", { repository: undefined });
  for (const query of both) {
    const lines: [string, unknown?][] = [
      [`GET /api/memory/prompt?${query}`],
      [`GET /api/memory/records?${query}`],
      [`GET /api/memory/changes?${query}`],
      [`GET /api/memory/board?${query}&branch=main`],
      [`GET /api/memory/board/items/user/plan?${query}&branch=main`],
      [`PUT /api/memory/board/items/user/new?${query}&branch=main`, { description: "d", content: "c" }],
      [`DELETE /api/memory/board/items/user/plan?${query}&branch=main`],
      [`POST /api/memory/records?${query}`, unnamed],
      [`POST /api/memory/records?dryRun&${query}`, unnamed],
    ];
    for (const [line, body] of lines)
      expect([line, ...codeOf(await ask(node, bob, line, body, { "if-match": "*" }))]).toEqual([
        line,
        ...[400, "invalid_inputs"],
      ]);
  }
  for (const name of ["tenant=acme", "user=bob"])
    expect((await ask(node, bob, `GET /api/memory/records?${name}&${name}`)).status).toBe(400);

  // The limit was written Acme/OK: each spelling of that repository is it, and no spelling of another is.
  for (const name of ["acme/ok", "ACME/ok", "https://github.com/Acme/OK.git"]) {
    const { status, body } = await ask(node, bob, `GET /api/memory/prompt?repository=${encodeURIComponent(name)}`);
    expect([name, status, body["prompt"]]).toEqual([name, 200, expect.stringContaining("Open to the limited one")]);
  }
  for (const name of ["other/secret", "Other/Secret", "https://github.com/other/secret"])
    for (const line of ["GET /api/memory/prompt?", "GET /api/memory/board?branch=main&"])
      expect((await ask(node, bob, `${line}repository=${encodeURIComponent(name)}`)).status).toBe(404);
  const { body } = await ask(node, bob, "GET /api/memory/records");
  expect(body["items"]).toMatchObject([{ fact: "Open to the limited one" }]);
});

it("M139 a place outside of the caller's reach is never made, whatever let the name in", () => {
  const text = (value: string) => ({ ok: true, value: { text: value } });
  const memory = {
    ...{ user: "bob", redact: (value: string) => value, redactor: { text } },
    reach: { user: "bob", repositories: ["acme/ok", "team/*"] },
  } as unknown as MemoryBackend;
  expect(placeOf(memory, "Acme/OK")).toEqual({ user: "bob", repository: "acme/ok" });
  expect(placeOf(memory, "Team/App")).toEqual({ user: "bob", repository: "team/app" });
  for (const name of ["other/secret", "acme/okay", "https://github.com/other/secret", "https://github.com"])
    expect(placeOf(memory, name)).toEqual({ user: "bob" });
});

it("M139 a limit is kept as repositories are: in lower case, by key, with its star", () => {
  const limits = {
    "Acme/App": "acme/app",
    "Acme/*": "acme/*",
    "https://github.com/Acme/*": "acme/*",
    "git@github.com:Acme/App.git": "acme/app",
    "*": "*",
    "https://github.com": undefined,
    "https://github.com/acme/app?*": undefined,
  };
  for (const [given, kept] of Object.entries(limits)) expect([given, repositoryPattern(given)]).toEqual([given, kept]);
});
