// GC6: sessions of other agents reach a Graphiti server only from a folder that is known, trusted and agreed to.
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { newClient } from "../proxy/client.ts";
import { startGateway } from "../proxy/gateway.ts";
import { newPlace, run } from "../tool/everlong.ts";
import { startGraphiti } from "./server.ts";

async function gatewayWith(env: Record<string, string> = {}) {
  const graphiti = await startGraphiti();
  const server = await startModelServer({ script: () => text("Noted.") });
  onTestFinished(() => server.close());
  const place = newPlace({
    EVERLONG_UPSTREAM_OPENAI: server.url,
    EVERLONG_EMBEDDER: "none",
    EVERLONG_GRAPHITI_ENDPOINT: graphiti.url,
    ...env,
  });
  await run(place, ["settings", "set", "memory.graphiti.enabled", "true"]);
  const folder = async (name: string, ...steps: ("trust" | "consent")[]) => {
    const path = join(realpathSync(dirname(place.folder)), name);
    mkdirSync(path);
    if (steps.includes("trust")) await run(place, ["trust"], { cwd: path });
    if (steps.includes("consent")) await run(place, ["consent", "grant", graphiti.url], { cwd: path });
    return path;
  };
  return { graphiti, server, place, folder };
}

it("GC6 RI12 a proxied session takes part when its folder is named, trusted and agreed to, and in no other case", async () => {
  const { graphiti, server, place, folder } = await gatewayWith();
  const off = await folder("off", "trust", "consent");
  mkdirSync(join(off, ".everlong"));
  writeFileSync(join(off, ".everlong", "settings.json"), '{"memory":{"graphiti":{"enabled":false}}}');
  await run(place, ["trust"], { cwd: off });
  const folders = {
    strange: await folder("strange"),
    silent: await folder("silent", "trust"),
    off,
    agreed: await folder("agreed", "trust", "consent"),
  };
  const gateway = await startGateway(server, { place });
  const client = (name: string, headers: Record<string, string>) =>
    newClient(gateway, server, "openai-chat", { "x-everlong-session": name, ...headers });
  await client("nobody", { "x-everlong-repo": "acme/shop" }).say("words of nobody");
  await client("gone", { "x-workspace-root": "/no/such/folder" }).say("words of gone");
  for (const name of ["strange", "silent", "off"] as const)
    await client(name, { "x-workspace-root": folders[name] }).say(`words of ${name}`);
  const agreed = client("agreed", { "x-workspace-root": folders.agreed });
  await agreed.say("The port is 9090 now.");
  await agreed.say("And thanks.");
  await until("the second prompt", () => graphiti.names().filter((name) => name.endsWith(".2.user")).length === 2);
  const sent = JSON.stringify(graphiti.calls);
  expect(sent).not.toContain("words of");
  expect(sent).not.toContain(folders.agreed);
  for (const group of new Set(graphiti.episodes.map((one) => one.group)))
    expect(graphiti.episodes.filter((one) => one.group === group).map(({ message }) => message.content)).toEqual([
      "The port is 9090 now.",
      "Noted.",
      "And thanks.",
    ]);
  expect(new Set(graphiti.episodes.map(({ group }) => group.replace(/_[0-9a-f]+$/, "")))).toEqual(
    new Set(["graphiti_session", "graphiti_workspace"]),
  );
  await run(place, ["consent", "revoke", graphiti.url], { cwd: folders.agreed });
  const before = graphiti.connections();
  await agreed.say("words after the no");
  await client("last", { "x-everlong-repo": "acme/shop" }).say("nobody again");
  await gateway.stop();
  expect(JSON.stringify(graphiti.calls)).not.toContain("words after the no");
  expect(graphiti.connections()).toBe(before);
});

it("GC6 GC14 serve sends what other processes left behind, with the graph off as well", async () => {
  const { graphiti, server, place, folder } = await gatewayWith({ EVERLONG_GRAPH: "0" });
  const cwd = await folder("agreed", "trust", "consent");
  await graphiti.pause();
  const promoted = await run(place, ["promote", "--kind", "decision", "We use Postgres"], { cwd });
  expect(promoted.code).toBe(0);
  expect(graphiti.episodes).toEqual([]);
  await graphiti.resume();
  const gateway = await startGateway(server, { place });
  await newClient(gateway, server, "openai-chat", { "x-everlong-session": "s" }).say("opens the store");
  await until("the promotion", () => graphiti.names().some((name) => name.startsWith("everlong.promotion.")));
});
