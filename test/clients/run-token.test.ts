// N24: the token of a run tells the gateway who asks and from where; memory belongs to the person, not to the key.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { OWNER } from "../../src/proxy/identify/run.ts";
import { openRun } from "../../src/runtime/gateway/run-token.ts";
import { openLaunch, removeLaunch } from "../../src/runtime/gateway/with-launch.ts";
import { text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { type InProcess, openInProcess } from "../proxy/in-process.ts";
import { call } from "../proxy/raw.ts";
import { chat, claude, codex, QWEN, ScriptedClient } from "../proxy/scripted-client.ts";
import { newPlace } from "../tool/everlong.ts";

type Stage = { gateway: InProcess; server: ModelServer; token: string; launch: string };

async function stage(): Promise<Stage> {
  const server = await startModelServer({ script: () => text("Understood, noted.") });
  const gateway = await openInProcess(server, { EVERLONG_PROXY_RECALL_TIMEOUT_MS: "20000" });
  const launch = openLaunch(gateway.home);
  if (!launch.ok) throw new Error(launch.error.what);
  onTestFinished(async () => {
    removeLaunch(launch.value);
    await gateway.close();
    await server.close();
  });
  return { gateway, server, token: tokenIn(launch.value), launch: launch.value };
}

function tokenIn(launch: string): string {
  const token = openRun(launch, { user: OWNER, folder: "/work/app", repository: "acme/app" });
  if (!token.ok) throw new Error(token.error.what);
  return token.value;
}

const FACT = "The staging port of the zebrafish service is 54871.";
const QUESTION = "Which staging port does the zebrafish service have?";
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

/** Stored after the request that brought it. */
async function recalls(client: ScriptedClient, server: ModelServer): Promise<boolean> {
  const answer = await client.ask(QUESTION);
  expect(answer.status, answer.text).toBe(200);
  return server.requests.at(-1)?.rawBody.includes("54871") ?? false;
}

it("N24 SEC10 clients of one run's repository share memory, whatever their keys and headers; strangers do not", async () => {
  const { gateway, server, token } = await stage();
  const url = `${gateway.url}/run/${token}`;
  const first = new ScriptedClient({ url }, claude(), { "x-api-key": "sk-ant-one" });
  await first.ask(`Please remember: ${FACT}`);
  await first.ask("Thank you.");
  const search = { method: "POST", headers: { "content-type": "application/json" } };
  const find = async () => {
    const body = JSON.stringify({ query: "zebrafish port", scope: "all" });
    return (await (await gateway.api("/api/recall", { ...search, body })).json()) as { results: unknown[] };
  };
  await expect.poll(async () => (await find()).results.length, { timeout: 20_000 }).toBeGreaterThan(0);

  // qwen sends no session, no repository and another key; codex another key and its token in a header.
  const second = new ScriptedClient({ url }, chat({ headers: QWEN }), { authorization: "Bearer sk-two" });
  expect(await recalls(second, server)).toBe(true);
  const third = new ScriptedClient(gateway, codex(), { authorization: "Bearer sk-three", "X-Everlong-Token": token });
  expect(await recalls(third, server)).toBe(true);
  const stranger = new ScriptedClient(gateway, chat({ headers: QWEN }), {
    authorization: "Bearer sk-four",
    "X-Everlong-Repo": "acme/app",
  });
  expect(await recalls(stranger, server)).toBe(false);

  // Neither the provider nor any file learns the token.
  for (const { path, headers, rawBody } of server.requests)
    expect(
      [path, JSON.stringify(headers), rawBody].some((sent) => sent.includes(token) || sent.includes("/run/")),
    ).toBe(false);
  for (const path of filesIn(gateway.home)) expect([path, readFileSync(path).includes(token)]).toEqual([path, false]);
  for (const event of gateway.events) expect(JSON.stringify(event)).not.toContain(token);
});

it("N24 SEC12 a key that changes in mid-session changes nothing", async () => {
  const { gateway, server, token } = await stage();
  const client = new ScriptedClient({ url: `${gateway.url}/run/${token}` }, chat({ headers: QWEN }));
  const sessions = new Set<string | null>();
  for (const key of ["Bearer oauth-1", "Bearer oauth-2", ""]) {
    client.headers["authorization"] = key;
    sessions.add((await client.ask(`hello with ${key}`)).headers.get("x-everlong-session"));
  }
  expect(sessions.size).toBe(1);
  expect(server.requests.map(({ headers }) => headers["authorization"] ?? "")).toEqual([
    "Bearer oauth-1",
    "Bearer oauth-2",
    "",
  ]);
});

it("N24 X105 tokens of ended runs, of others, and doubled ones are refused, and nothing is sent on", async () => {
  const { gateway, server, token, launch } = await stage();
  const { home: other } = newPlace();
  const theirs = openLaunch(other);
  if (!theirs.ok) throw new Error(theirs.error.what);
  onTestFinished(() => removeLaunch(theirs.value));
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });
  const ask = (path: string, headers: readonly string[] = []) =>
    call(gateway.url + path, {
      headers: [...Object.entries(QWEN).flat(), "content-type", "application/json", ...headers],
      body,
    });
  const path = "/v1/chat/completions";
  const code = async (...given: Parameters<typeof ask>) => {
    const answer = await ask(...given);
    return [answer.status, answer.header("x-everlong-error")];
  };
  expect(await code(`/run/${tokenIn(theirs.value)}${path}`)).toEqual([401, "run_ended"]);
  expect(await code(`/run/${token.slice(0, -2)}xx${path}`)).toEqual([401, "run_ended"]);
  expect(await code(`/run/nonsense${path}`)).toEqual([401, "run_ended"]);
  expect(await code(path, ["X-Everlong-Token", token, "X-Everlong-Token", token])).toEqual([400, "bad_token"]);
  expect(await code(`/run/${token}/api/proxy/sessions`)).toEqual([401, "unauthorized"]);
  expect((await gateway.api("/api/proxy/sessions", { headers: { authorization: `Bearer ${token}` } })).status).toBe(
    401,
  );
  expect(await code(`/run/${token}//v1/chat/completions`)).toEqual([400, "bad_path"]);
  expect(server.requests).toEqual([]);
  expect((await ask(`/run/${token}${path}`)).status).toBe(200);
  // The gateway may be started anew while the run goes on.
  await gateway.restart();
  expect((await ask(`/run/${token}${path}`)).status).toBe(200);
  removeLaunch(launch);
  expect(await code(`/run/${token}${path}`)).toEqual([401, "run_ended"]);
  expect(await code(path, ["authorization", `Bearer ${token}`])).toEqual([401, "run_ended"]);
  expect(server.requests).toHaveLength(2);
});
