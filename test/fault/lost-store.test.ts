// N13: whatever happens to store.db, the next command brings everything back from logs and journal.
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { converse, get, stage, stored } from "../recall/gateway-stage.ts";
import { type Place, placeFor, run, start } from "../tool/everlong.ts";

const storeOf = ({ home }: Place): string => join(home, "store.db");
const addArgs = (fact: string): string[] => [
  ...["memory", "add", "--fact", fact, "--subject", "habits", "--cite", "a.ts"],
  ...["--reason", "It is said often, and it matters for the daily work.", "--scope", "user"],
];
const add = (place: Place, fact: string) => run(place, addArgs(fact));

/** What the commands list, all at once, without what differs by time. */
async function listings(cli: (args: string[]) => ReturnType<typeof run>) {
  const commands = [
    ["memory", "list", "--json"],
    ["board", "list", "--json"],
    ["sessions", "--all", "--json"],
    ["recall", "heron", "--all", "--json"],
  ];
  const all = await Promise.all(commands.map((args) => cli(args)));
  for (const [n, done] of all.entries()) expect(done.code, `${commands[n]?.join(" ")}: ${done.stderr}`).toBe(0);
  const texts = all.map(({ stdout }) => stdout.replace(/"(score|recency)": [\d.]+/g, "$1"));
  return { texts, stderr: all.map(({ stderr }) => stderr).join("") };
}

function overwrite(path: string, at: number, bytes = Buffer.alloc(4096, "damage! ")): void {
  const fd = openSync(path, "r+");
  writeSync(fd, bytes, 0, bytes.length, at);
  closeSync(fd);
}

it("N13 OP2 OP3 AB23 deleted, a folder, of another home, zeros, pages overwritten, an older copy, the journal cut: listings are as before, told in one line", async () => {
  const server = await startModelServer({ script: () => text("The heron sleeps at noon.") });
  onTestFinished(() => server.close());
  const place = placeFor(server);
  expect((await run(place, ["-p", "Where does the heron sleep?"])).code).toBe(0);
  expect((await add(place, "Tea is drunk at four.")).code).toBe(0);
  const older = readFileSync(storeOf(place));
  for (const fact of ["Tabs are four wide.", "Deploys are on Mondays."]) expect((await add(place, fact)).code).toBe(0);
  const item = await run(place, [
    "board",
    "add",
    "build",
    "--description",
    "how to build",
    "--content",
    "npm run build",
  ]);
  expect(item.code, item.stderr).toBe(0);
  const cli = (args: string[]) => run(place, args);
  const before = await listings(cli);
  expect(before.texts[0]).toContain("Mondays");
  expect(before.texts[1]).toContain("npm run build");
  const other = placeFor(server);
  expect((await add(other, "Of another home.")).code).toBe(0);
  const foreign = readFileSync(storeOf(other));
  const size = statSync(storeOf(place)).size;
  const harms: Record<string, () => void> = {
    deleted: () => rmSync(storeOf(place)),
    "a folder": () => {
      rmSync(storeOf(place));
      mkdirSync(join(storeOf(place), "inside"), { recursive: true });
    },
    "of another home": () => writeFileSync(storeOf(place), foreign),
    zeros: () => writeFileSync(storeOf(place), Buffer.alloc(size)),
    "every page but the first overwritten": () => {
      for (let at = 4096; at < size; at += 4096) overwrite(storeOf(place), at);
    },
  };
  for (const [name, harm] of Object.entries(harms)) {
    harm();
    const after = await listings(cli);
    expect([name, after.texts]).toEqual([name, before.texts]);
    expect([name, after.stderr.match(/store\.db was rebuilt/g)?.length]).toEqual([name, 1]);
  }
  writeFileSync(storeOf(place), older);
  const after = await listings(cli);
  expect(["an older copy", after.texts]).toEqual(["an older copy", before.texts]);
  const journal = join(place.home, "journal");
  for (const cut of ["nothing", "half a line", "a line's end", "everything"]) {
    const last = readdirSync(journal).sort().at(-1) ?? "";
    const bytes = readFileSync(join(journal, last));
    const end = bytes.lastIndexOf(10, bytes.length - 2) + 1;
    const kept = { nothing: bytes.length, "half a line": end + 40, "a line's end": end, everything: 0 }[cut] ?? 0;
    truncateSync(join(journal, last), kept);
    const memories = async () => (await cli(["memory", "list", "--json"])).stdout;
    expect([cut, await memories()]).toEqual([cut, before.texts[0]]);
    // What was cut off is written down anew: the store can be lost again.
    rmSync(storeOf(place));
    expect([cut, await memories()]).toEqual([cut, before.texts[0]]);
  }
  rmSync(storeOf(place));
  const continued = await run(place, ["--continue", "-p", "And now?"]);
  expect([continued.code, continued.stderr]).toEqual([0, expect.stringContaining("store.db was rebuilt")]);
  expect((await run(place, ["sessions", "reindex"])).code).toBe(0);
});

it("PE4 4 KB in the middle of store.db are overwritten while the gateway runs: it keeps answering, everything is listed as before", async () => {
  const [gateway, server] = await stage();
  const { place } = gateway;
  for (const fact of ["Herons are grey.", "Tea is drunk at four."]) expect((await add(place, fact)).code).toBe(0);
  const client = await converse(gateway, server, "birds", 3);
  const hit = await stored(gateway, "zebra1");
  const before = await listings((args) => gateway.cli(args));
  // What stands in the log is not read from the file.
  const db = new DatabaseSync(storeOf(place));
  db.exec("PRAGMA busy_timeout = 5000; PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  const size = statSync(storeOf(place)).size;
  for (let at = 4096; at < size; at += 4096) overwrite(storeOf(place), at);
  await client.say("Are you still there?");
  const after = await listings((args) => gateway.cli(args));
  expect(after.texts).toEqual(before.texts);
  // One who read the damaged file is told to try again.
  await until("its figures", async () => (await get(gateway, "/stats"))[0] === 200);
  expect((await stored(gateway, "zebra1")).ref).toBe(hit.ref);
  const [folder = ""] = readdirSync(join(place.home, "quarantine"));
  expect(readdirSync(join(place.home, "quarantine", folder))).toContain("store.db");
  const said = await client.say("Still there?");
  expect(said.status).toBe(200);
  expect((await add(place, "Written to the new one.")).code).toBe(0);
  const { code, stderr } = await gateway.stop();
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("Error")]);
});

it("P1 D1 PI1 memory add killed at random moments: what was acknowledged is there once, also after store.db is gone", async () => {
  const server = await startModelServer({ script: () => text("ok") });
  onTestFinished(() => server.close());
  const place = placeFor(server);
  const acked: string[] = [];
  const journal = join(place.home, "journal", "000001.jsonl");
  const size = (): number => statSync(journal, { throwIfNoEntry: false })?.size ?? 0;
  for (let n = 0; n < 12; n++) {
    const fact = `Fact number ${n} of the storm.`;
    const child = start(place, addArgs(fact));
    // Left alone, ended when its line is written, ended at any time.
    const lines = size();
    const ending = [() => false, () => size() > lines, () => Math.random() < 0.03][n % 3];
    const timer = setInterval(() => ending?.() && child.kill("SIGKILL"), 5);
    const done = await child.done;
    clearInterval(timer);
    if (done.code === 0) acked.push(fact);
  }
  const facts = async () => {
    const done = await run(place, ["memory", "list", "--json"]);
    expect(done.code, done.stderr).toBe(0);
    return [...done.stdout.matchAll(/Fact number \d+ of the storm\./g)].map(([fact]) => fact).sort();
  };
  expect(acked.length).toBeGreaterThan(0);
  const live = await facts();
  expect(new Set(live).size).toBe(live.length);
  expect(live).toEqual(expect.arrayContaining(acked));
  for (const end of ["", "-wal", "-shm"]) rmSync(storeOf(place) + end, { force: true });
  expect(await facts()).toEqual(live);
});
