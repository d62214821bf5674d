// P29, PE15: with a switch off no prompt byte, file, process or socket of its feature appears.
import { dirname } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { featureRows } from "../../src/settings/table/feature.ts";
import { kindOf } from "../../src/store/kinds.ts";
import { text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { brokenCopy } from "../tool/broken-copy.ts";
import { type Place, placeFor, run, sessionsOf } from "../tool/everlong.ts";
import { lacks } from "../tool/fault-tool.ts";
import { traced } from "../tool/trace.ts";
import { treeChanges, treeOf } from "../tool/tree-hash.ts";

let server: ModelServer;
afterEach(() => server.close());

const switches = featureRows.filter((row) => row.type === "boolean");
const names = switches.map((row) => row.key.slice("features.".length));
const allOff = { EVERLONG_FEATURES: names.map((name) => `-${name}`).join(","), EVERLONG_MEMORY: "off" };

/** Each way to turn one switch off: under our name, under each seed name, by the list. */
const ways: { key: string; env: Record<string, string> }[] = switches.flatMap((row) => [
  ...row.env.map((name) => ({
    key: row.key,
    env: { EVERLONG_MEMORY: "off", ...(name.startsWith("!") ? { [name.slice(1)]: "1" } : { [name]: "off" }) },
  })),
  { key: row.key, env: { EVERLONG_MEMORY: "off", EVERLONG_FEATURES: `-${row.key.slice("features.".length)}` } },
]);

type Left = { request: string; headers: Record<string, string>; files: Map<string, string> };

/** What a turn sent and left, with everything that is this place's own replaced. */
async function turn(place: Place): Promise<Left> {
  server.script(text("an answer"));
  const done = await run(place, ["-p", "a question"]);
  expect(done.code, done.stderr).toBe(0);
  expect(done.stderr).not.toContain("Warning");
  const [id = ""] = sessionsOf(place);
  const plain = (t: string) => t.replaceAll(id, "SESSION").replaceAll(dirname(place.home), "PLACE");
  const { rawBody = "", headers = {} } = server.requests.at(-1) ?? {};
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, plain(value)]));
  const files = new Map([...treeOf(place.home)].map(([path, what]) => [plain(path), what.split(" ")[0] ?? ""]));
  return { request: plain(rawBody), headers: sent, files };
}

describe("P29 AI14 A1.9 off means off", () => {
  it("P29 every switch, under every name: request bytes, headers and files as with all of them off", async () => {
    server = await startModelServer();
    const bare = await turn(placeFor(server, allOff));
    for (const { key, env } of ways) {
      const others = names.filter((name) => key !== `features.${name}`).map((name) => `-${name}`);
      const list = [...others, ...(env["EVERLONG_FEATURES"] ? [env["EVERLONG_FEATURES"]] : [])].join(",");
      const off = await turn(placeFor(server, { ...env, EVERLONG_FEATURES: list }));
      const what = `${key} by ${Object.keys(env).join()}`;
      expect(off.request, what).toBe(bare.request);
      expect(off.headers, what).toEqual(bare.headers);
      expect(treeChanges(bare.files, off.files), what).toEqual([]);
    }
    console.log(`off means off: ${switches.length} switches, ${ways.length} ways`);
  });

  it("PE15 P29 all off: nothing but the session's folder, its rows, the logs and the key of the secret filter", async () => {
    server = await startModelServer();
    const { files, request } = await turn(placeFor(server, allOff));
    const allowed =
      /^(sessions\/SESSION\/(events\.jsonl|workspace\.yaml|session\.lock)|store\.db|secret\.key|\.everlong-home|locks\/home\.lock|journal\/000001\.jsonl)$/;
    const plain = [...files.keys()].filter((path) => !path.endsWith("/"));
    expect(plain.filter((path) => !allowed.test(path))).toEqual([]);
    expect(plain.filter((path) => kindOf(path) === undefined)).toEqual([]);
    expect(request).not.toMatch(/memor(y|ies)_|store_memory|context_board|<everlong_recall|github_context/);
  });

  it.skipIf(lacks("strace"))("PE15 P29 all off: no process, no socket but the model's", async () => {
    server = await startModelServer();
    server.script(text("an answer"));
    const { finished, reached, listened, programs } = await traced(placeFor(server, allOff), ["-p", "a question"]);
    expect(finished.code, finished.stderr).toBe(0);
    expect([...new Set(reached)]).toEqual([new URL(server.url).host]);
    expect(listened).toEqual([]);
    expect(programs).toEqual([process.execPath]);
  });

  it("A1.9 a tool that is switched off is not offered, whatever the model asks for", async () => {
    server = await startModelServer();
    const { request } = await turn(placeFor(server, { ...allOff, EVERLONG_TOOL_EXCLUDE: "bash,grep" }));
    const offered = (JSON.parse(request) as { tools: { function: { name: string } }[] }).tools.map(
      (t) => t.function.name,
    );
    expect(offered).toContain("view");
    expect(offered.filter((name) => ["bash", "grep", "web_fetch", "ask_user"].includes(name))).toEqual([]);
  });

  it("T4 a build that lets one byte and one file of a feature through is seen", async () => {
    server = await startModelServer();
    const bare = await turn(placeFor(server, allOff));
    const talkative = { ...placeFor(server, allOff), bin: brokenCopy("You are Everlong,", "You are Everlong ,") };
    expect((await turn(talkative)).request).not.toBe(bare.request);
    const littering = { ...placeFor(server, allOff), bin: brokenCopy(/"workspace\.yaml"/, '"workspace2.yaml"') };
    expect(treeChanges(bare.files, (await turn(littering)).files)).toContain("+ sessions/SESSION/workspace2.yaml");
  });
});
