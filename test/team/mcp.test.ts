// /mcp of a team's nodes: a member's agent stores, finds and looks, through whichever node, and only what its token lets it.
import { expect, it } from "vitest";
import { sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { addMember, ask, codeOf, startNode, type TestMember } from "./nodes.ts";

type Node = { url: string };
const ACCEPT = { accept: "application/json, text/event-stream" };
const AT_APP = "?repository=acme/app&branch=main";

const rpc = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });
const send = (node: Node, who: TestMember, message: object, query = AT_APP) =>
  ask(node, who, `POST /mcp${query}`, message, ACCEPT);

/** The text of a tool's answer; an error begins with !. */
async function callTool(node: Node, who: TestMember, name: string, input: object, query = AT_APP): Promise<string> {
  const { status, body } = await send(node, who, rpc("tools/call", { name, arguments: input }), query);
  expect([name, status, body["error"]]).toEqual([name, 200, undefined]);
  const result = body["result"] as { isError?: boolean; content: { text: string }[] };
  return `${result.isError ? "!" : ""}${result.content[0]?.text}`;
}

const memory = (fact: string) => ({ subject: "build", fact, citations: ["src/a.ts:3"], reason: "it will be needed" });

it("W6 W12 B44 a member's agent over MCP: any node, the team's memory, nobody else's; a read token may not write", async () => {
  const url = await sharedServer().newUrl();
  const ann = await addMember(url, "ann --tenant acme --user ann --scope read,write");
  const bob = await addMember(url, "bob --tenant acme --user bob --scope read,write --repo acme/*");
  const ron = await addMember(url, "ron --tenant acme --user ron --scope read");
  const eve = await addMember(url, "eve --tenant globex --user ann --scope read,write");
  const [one, two] = [await startNode(url), await startNode(url)];
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const begun = await send(one, ann, rpc("initialize", hello));
  expect([begun.status, begun.headers.get("mcp-session-id")]).toEqual([200, null]);
  const toolsOf = async (who: TestMember, query?: string): Promise<string[]> => {
    const { body } = await send(two, who, rpc("tools/list"), query);
    return (body["result"] as { tools: { name: string }[] }).tools.map(({ name }) => name);
  };
  expect(await toolsOf(ann)).toEqual(["recall", "store_memory", "vote_memory", "context_board"]);
  expect(await toolsOf(ann, "")).toEqual(["recall", "store_memory", "vote_memory"]);
  expect(await toolsOf(ron)).toEqual(["recall", "context_board"]);

  expect(await callTool(one, ann, "store_memory", memory("Herons nest behind the harbour"))).toMatch(/stored/i);
  expect(await callTool(two, bob, "recall", { query: "where do herons nest" })).toContain("behind the harbour");
  expect(await callTool(one, ron, "recall", { query: "herons" }, "")).toContain("behind the harbour");
  expect(await callTool(two, eve, "recall", { query: "herons" })).toMatch(/^No matches/);
  const vote = { fact: "Herons nest behind the harbour", direction: "upvote", reason: "seen" };
  expect(await callTool(two, bob, "vote_memory", vote)).not.toMatch(/^!/);
  expect(await callTool(two, bob, "context_board", { command: "get_board" })).not.toMatch(/^!/);

  for (const name of ["store_memory", "vote_memory"])
    expect(codeOf(await send(one, ron, rpc("tools/call", { name, arguments: memory("x y") })))).toEqual([
      403,
      "forbidden_scope",
    ]);
  expect(codeOf(await send(one, bob, rpc("tools/list"), "?repository=ops/infra"))).toEqual([404, "not_found"]);
  expect(codeOf(await send(one, bob, rpc("tools/list"), "?tenant=globex"))).toEqual([403, "forbidden_tenant"]);
  expect((await ask(one, { token: "" }, "POST /mcp", rpc("tools/list"), ACCEPT)).status).toBe(401);
  expect((await ask(one, ann, "GET /mcp")).status).toBe(405);
  const { body } = await ask(one, ann, "GET /api/memory/records");
  expect(body["items"]).toHaveLength(1);
});
