// O13 O14: agents of a remote catalogue: asked for only where that is safe and wanted, and kept for when the server is away.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { gitInit, systemOf, toolResults } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { type Place, run } from "../tool/everlong.ts";
import { cast, task, tasks } from "./cast.ts";
import { definition, put, toolText } from "./definitions.ts";

const AUDITOR = { name: "auditor", description: "audits papers", prompt: "You are the auditor of this house." };

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A catalogue on this machine; what it answers may change, and it may be closed. */
async function catalogue(first: Answer) {
  let answer = first;
  const asked: { url: string; etag: string | undefined }[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? "", etag: request.headers["if-none-match"] });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/agents`, asked, close, answers: (next: Answer) => (answer = next) };
}

const list =
  (agents: unknown[], headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify({ agents }));

const withCatalogue = (place: Place, url: string): Place => ({
  ...place,
  env: { ...place.env, EVERLONG_AGENT_CATALOG_URL: url },
});

const hello = (place: Place, ...more: string[]) => run(place, ["-p", "hello", ...more]);

/** As if the copy had been fetched that long ago. */
function ageCopies(place: Place, hours: number): void {
  const folder = join(place.home, "cache", "agents");
  for (const name of readdirSync(folder)) {
    const copy = JSON.parse(readFileSync(join(folder, name), "utf8"));
    const at = new Date(Date.parse(copy.at) - hours * 3_600_000).toISOString();
    writeFileSync(join(folder, name), JSON.stringify({ ...copy, at }));
  }
}

describe("O13 the remote catalogue", () => {
  it("N39 O13 O8 its agents can be called, below the user's own and above the built-ins; the repository is named", async () => {
    const remote = await catalogue(list([AUDITOR, { ...AUDITOR, name: "mine", description: "from afar" }]));
    const { place, server, of } = await cast([tasks(task("JOB", { agent_type: "auditor" })), text("ok")], {
      JOB: [text("audited")],
    });
    gitInit(place);
    put(place.folder, ".git/config", '[remote "origin"]\n\turl = https://github.com/acme/shop.git\n');
    put(place.home, "agents/mine.md", definition({ description: "from home" }));
    const done = await hello(withCatalogue(place, remote.url), "--trust-folder");
    expect(done.code, done.stderr).toBe(0);
    expect(remote.asked).toEqual([{ url: "/agents?repository=acme%2Fshop", etag: undefined }]);
    expect(toolText(server.requests[0], "task")).toContain("- auditor (custom): audits papers");
    expect(toolText(server.requests[0], "task")).toContain("- mine (custom): from home");
    expect(systemOf(of("JOB")[0])).toContain("You are the auditor of this house.");
    expect(toolResults(server.requests.at(-1)).map((r) => r.text)).toEqual(["audited"]);
    const shown = await run(withCatalogue(place, remote.url), ["-p", "/agent", "--trust-folder"]);
    expect(shown.stdout).toContain(`remote: ${remote.url}`);
  });

  it("N39 O13 without trust nothing is asked; off this machine nothing without consent, and never over plain http", async () => {
    const remote = await catalogue(list([AUDITOR]));
    const { place, server } = await cast(() => text("ok"), {});
    expect((await hello(withCatalogue(place, remote.url))).code).toBe(0);
    expect(remote.asked).toEqual([]);
    expect(toolText(server.requests[0], "task")).not.toContain("auditor");
    const plain = await hello(withCatalogue(place, "http://catalog.invalid/agents"), "--trust-folder");
    expect(plain.stderr).toContain("agent.catalogUrl must be https");
    const far = withCatalogue(place, "https://catalog.invalid/agents");
    const unasked = await hello(far, "--trust-folder");
    expect(unasked.stderr).toContain("everlong consent grant https://catalog.invalid");
    expect((await run(far, ["consent"])).stdout).toContain("agent.catalogUrl is https://catalog.invalid");
    expect((await run(far, ["consent", "grant", "https://catalog.invalid"])).code).toBe(0);
    const asked = await hello(far, "--trust-folder");
    expect(asked.code).toBe(0);
    expect(asked.stderr).toMatch(/catalog\.invalid\/agents: no agents could be had from it: it (cannot be|did not)/);
  });

  it("O13 a copy is fresh for an hour and then asked about by its tag; a redirect to another host is not followed", async () => {
    const remote = await catalogue(list([AUDITOR], { etag: '"v1"' }));
    const { place, server } = await cast(() => text("ok"), {});
    const at = withCatalogue(place, remote.url);
    await hello(at, "--trust-folder");
    await hello(at, "--trust-folder");
    expect(remote.asked).toHaveLength(1);
    ageCopies(place, 2);
    remote.answers((_request, response) => void response.writeHead(304).end());
    const again = await hello(at, "--trust-folder");
    expect(again.stderr).not.toContain("Warning");
    expect(remote.asked[1]?.etag).toBe('"v1"');
    await hello(at, "--trust-folder");
    expect(remote.asked).toHaveLength(2);
    for (const request of server.requests) expect(toolText(request, "task")).toContain("auditor");
    const other = await catalogue(list([AUDITOR]));
    const away = await catalogue((_request, response) => void response.writeHead(302, { location: other.url }).end());
    const led = await hello(withCatalogue(place, away.url), "--trust-folder");
    expect(led.stderr).toContain("it redirects to another host");
    expect(other.asked).toEqual([]);
    const moved = await catalogue((request, response) =>
      request.url === "/moved"
        ? list([AUDITOR])(request, response)
        : void response.writeHead(307, { location: "/moved" }).end(),
    );
    await hello(withCatalogue(place, moved.url), "--trust-folder");
    expect(toolText(server.requests.at(-1), "task")).toContain("auditor");
  });
});

describe("O14 when the catalogue is away or wrong", () => {
  it("N39 O14 OE10 the copy serves with its age; without one there are no remote agents, and the session goes on", async () => {
    const remote = await catalogue(list([AUDITOR]));
    const { place, server } = await cast(() => text("ok"), {});
    const at = withCatalogue(place, remote.url);
    await hello(at, "--trust-folder");
    ageCopies(place, 5);
    remote.answers((_request, response) => void response.writeHead(200).end("<html>busy</html>"));
    const wrong = await hello(at, "--trust-folder");
    expect(wrong.stderr).toMatch(/its answer is not JSON\. The copy from 5 hours ago is used\./);
    remote.answers((_request, response) => void response.writeHead(200).end(`{"agents":["${"x".repeat(1_100_000)}"]}`));
    expect((await hello(at, "--trust-folder")).stderr).toContain("its answer is over 1 MB");
    await remote.close();
    const gone = await hello(at, "--trust-folder");
    expect(gone.code).toBe(0);
    expect(gone.stderr).toMatch(/cannot be reached: .*The copy from 5 hours ago is used\./);
    expect(toolText(server.requests.at(-1), "task")).toContain("auditor");
    const none = await hello(withCatalogue(place, `${remote.url}/elsewhere`), "--trust-folder");
    expect(none.code).toBe(0);
    expect(none.stderr).toContain("no agents could be had from it");
    expect(toolText(server.requests.at(-1), "task")).not.toContain("auditor");
  });

  it("N39 O14 a definition from afar starts no program here: its stdio servers are left out with a warning", async () => {
    const remote = await catalogue(list([]));
    const { place, of } = await cast([tasks(task("JOB", { agent_type: "auditor" })), text("ok")], {
      JOB: [text("audited")],
    });
    const touched = join(place.folder, "touched");
    const local = { command: "touch", args: [touched] };
    const servers = { local, sly: { url: "http://127.0.0.1:9", ...local } };
    remote.answers(list([{ ...AUDITOR, "mcp-servers": servers }, { name: "bare" }, 7]));
    const done = await hello(withCatalogue(place, remote.url), "--trust-folder");
    expect(done.code, done.stderr).toBe(0);
    for (const name of ["local", "sly"])
      expect(done.stderr).toContain(`mcp-servers: the server ${name} would start a program on this machine`);
    expect(done.stderr).toMatch(/\(agent 2\): .*(description|prompt)/);
    expect(done.stderr).toMatch(/\(agent 3\): expected an object/);
    expect(of("JOB")).toHaveLength(1);
    expect(existsSync(touched)).toBe(false);
  });
});
