// N22: a search that comes too late is never lost in silence. The engine is the real one, made late by its stand-in.
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { newId } from "../../src/base/id.ts";
import { ok } from "../../src/base/result.ts";
import { whyText } from "../../src/command/proxy/why.ts";
import { requestLine } from "../../src/command/serve-gateway.ts";
import { Recall } from "../../src/memory/recall/recall.ts";
import { createProxy } from "../../src/proxy/proxy.ts";
import { proxySettings } from "../../src/proxy/settings.ts";
import { upstreamsOf } from "../../src/proxy/upstream/choose.ts";
import { UpstreamPools } from "../../src/proxy/upstream/pool.ts";
import { openGateway } from "../../src/runtime/gateway/gateway.ts";
import { operationsOn } from "../../src/runtime/gateway/operations.ts";
import { sharedServices } from "../../src/runtime/gateway/shared-services.ts";
import { openWorkspace } from "../../src/runtime/workspace.ts";
import type { GatewayEvent } from "../../src/schema/event/gateway.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { setEnvironment } from "../tool/environment.ts";
import { newPlace } from "../tool/everlong.ts";
import { buried, filler } from "./filler.ts";
import { chat, OPENCODE, ScriptedClient } from "./scripted-client.ts";

const FACT = "listening on 0.0.0.0:54871 (billing-staging)";
const QUESTION = "Which port does billing-staging listen on?";

async function stage() {
  const server = await startModelServer({ script: () => text("I see.") });
  setEnvironment({
    EVERLONG_HOME: newPlace().home,
    EVERLONG_UPSTREAM_OPENAI: server.url,
    EVERLONG_EMBEDDER: "none",
    EVERLONG_PROXY_WINDOWS: "*: 12000",
    EVERLONG_PROXY_RESERVE_TOKENS: "1000",
  });
  const workspace = await openWorkspace();
  if (!workspace.ok) throw new Error("no home");
  const settings = proxySettings(workspace.value.settings.values);
  const shared = sharedServices(workspace.value, settings, () => undefined);
  const limits: (number | undefined)[] = [];
  const engine = { isLate: false };
  const events: GatewayEvent[] = [];
  const proxy = createProxy({
    ...{ settings, upstreams: upstreamsOf(settings), pools: new UpstreamPools({ timeoutMs: 10_000 }) },
    ...{ key: "key", isToken: () => false, repositoryKey: () => undefined, catalog: [], clock: systemClock, newId },
    async open() {
      const kept = await shared.open();
      if (!kept.ok) return kept;
      const { recall } = kept.value;
      const search = recall.search.bind(recall);
      recall.search = async (request, given) => {
        limits.push(given?.timeoutMs);
        if (!engine.isLate) return search(request, { timeoutMs: 20_000 });
        return ok({ results: [], more: 0, partial: true, skipped: ["all"] });
      };
      return kept;
    },
  });
  proxy.on((event) => events.push(event));
  const front = createServer((req, res) => {
    const target = { path: req.url ?? "/", search: "" };
    void proxy.handle(req, res, { loopback: true, token: false, target });
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    front.close();
    await proxy.close();
    await shared.close();
    await server.close();
  });
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const lastRecord = async () => {
    const kept = await shared.open();
    if (!kept.ok) throw new Error("no store");
    const operations = operationsOn(kept.value, settings);
    const page = await operations.requests({ limit: 1 });
    const record = page.ok ? await operations.request(page.value.items[0]?.id ?? "") : page;
    if (!record.ok) throw new Error("no record");
    return record.value;
  };
  return { server, url, engine, limits, events, lastRecord };
}

it("N22 X63 a late search has a second at a cut and 150 ms elsewhere; what was lost is named, and the prompt's next request gets it", async () => {
  const { server, url, engine, limits, events, lastRecord } = await stage();
  const client = new ScriptedClient({ url }, chat({ headers: { ...OPENCODE, "x-session-affinity": "late" } }));
  const { dialect, history } = client;
  history.push(dialect.user(buried(FACT, 1500, 1)), dialect.assistant("Noted."));
  history.unshift(dialect.user("Let us begin."), dialect.assistant("Yes."));
  for (let n = 0; n < 30; n++) history.push(dialect.user(filler(1500, 50 + n)), dialect.assistant(`Read ${n}.`));

  engine.isLate = true;
  const lost = await client.ask(QUESTION);
  expect([lost.status, lost.headers.get("x-everlong-action")], lost.text).toEqual([200, "trim"]);
  expect(lost.headers.get("x-everlong-recall-lost")).toBe("timeout");
  expect(limits).toEqual([1000]);
  await expect.poll(() => events.some(({ type }) => type === "proxy.request")).toBe(true);
  expect(requestLine(events.findLast(({ type }) => type === "proxy.request") as GatewayEvent)).toContain(
    "(lost: timeout)",
  );
  await expect.poll(async () => (await lastRecord()).outcome).toBe("complete");
  const record = await lastRecord();
  expect(record.recallLost).toBe("timeout");
  expect(whyText(record, { all: false, width: 200 })).toContain("memory search failed (it took too long)");

  // The same prompt goes on: its next request asks again, within the usual time, and says so when that is late too.
  const call = { id: "call_1", type: "function", function: { name: "read_file", arguments: "{}" } };
  history.pop();
  history.push({ role: "assistant", content: null, tool_calls: [call] });
  history.push(...dialect.results([{ id: "call_1", name: "read_file", output: "nothing" }]));
  const again = await client.send();
  expect([again.headers.get("x-everlong-recall-lost"), limits.at(-1)]).toEqual(["timeout", 150]);

  engine.isLate = false;
  history.pop();
  history.push({ role: "assistant", content: null, tool_calls: [{ ...call, id: "call_2" }] });
  history.push(...dialect.results([{ id: "call_2", name: "read_file", output: "nothing" }]));
  const next = await client.send();
  expect([next.headers.get("x-everlong-recall-lost"), next.headers.get("x-everlong-recalled")]).toEqual([null, "1"]);
  expect(server.requests.at(-1)?.rawBody).toContain("54871");
  const asked = limits.length;
  history.pop();
  await client.send();
  expect(limits).toHaveLength(asked);
});

it("N22 the engine is open and warm before anybody can know that the gateway listens", async () => {
  const { home } = newPlace();
  setEnvironment({ EVERLONG_HOME: home, EVERLONG_EMBEDDER: "none" });
  const warm = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const usual = Recall.prototype.warm;
  onTestFinished(() => {
    Recall.prototype.warm = usual;
  });
  Recall.prototype.warm = async function (limitMs) {
    begun.resolve();
    await warm.promise;
    return usual.call(this, limitMs);
  };
  const opening = openGateway({ "gateway.port": "0" });
  await begun.promise;
  expect(existsSync(join(home, "gateway.json"))).toBe(false);
  warm.resolve();
  const opened = await opening;
  if (!opened.ok) throw new Error(opened.error.what);
  onTestFinished(() => opened.value.close());
  expect(existsSync(join(home, "gateway.json"))).toBe(true);
});
