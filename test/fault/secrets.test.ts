// P31: no planted secret reaches a place that spans sessions or leaves the machine.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { secretRedactor } from "../../src/memory/secret/filter.ts";
import { calls, error, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { brokenCopy } from "../tool/broken-copy.ts";
import { logOf, type Place, placeFor, run, sessionsOf } from "../tool/everlong.ts";
import { allSecrets, configuredKey, plantedInContext, plantedSecrets, plantedText } from "../tool/planted-secrets.ts";

let server: ModelServer;
afterEach(() => server?.close());

/** The session's own papers keep what was said and done, exactly; everything else is searched. */
const OWN = /^sessions\/[^/]+\/(events\.jsonl|files\/|outputs\/|session\.db)/;
const token = plantedSecrets["github-token"] ?? "";

function placeWithSecrets(): Place {
  const place = placeFor(server, { EVERLONG_API_KEY: configuredKey });
  execFileSync("git", ["init", "-q", "-b", `fix/${token}`, place.folder]);
  writeFileSync(join(place.folder, "secrets.txt"), `${plantedText}\n${configuredKey}\n`);
  return place;
}

/** A conversation in which every channel carries secrets: prompt, command, output, file name, todo, answer, title. */
async function conversation(place: Place): Promise<string> {
  const insert = `INSERT INTO todos (id, title) VALUES ('a', 'use ${token}')`;
  server.script(
    calls([
      {
        name: "bash",
        args: { command: `cat secrets.txt; echo https://user:hunter2secret@example.com/pull/7`, description: "x" },
      },
      { name: "bash", args: { command: `cat <<'E'\n${plantedText}\nE`, description: "x" } },
      { name: "view", args: { path: "secrets.txt" } },
      { name: "create", args: { path: `notes-${token}.txt`, file_text: "x" } },
      { name: "sql", args: { query: insert } },
    ]),
    text(`I found ${plantedText} and ${configuredKey}`),
  );
  const done = await run(place, ["-p", `my keys are ${plantedText} and ${configuredKey}`, "--allow-all"]);
  expect(done.code, done.stderr).toBe(0);
  return done.stderr;
}

function found(texts: Iterable<[string, string]>): string[] {
  return [...texts].flatMap(([where, content]) =>
    allSecrets.filter((s) => content.includes(s)).map((s) => `${where}: ${s}`),
  );
}

function* filesUnder(folder: string): Generator<[string, string]> {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (OWN.test(name)) continue;
    try {
      yield [name, readFileSync(join(folder, name)).toString("latin1")];
    } catch {
      // a folder
    }
  }
}

describe("P31 PE12 secrets", () => {
  it("P31 PE12 at least 60 kinds are planted, and the filter knows each as what it is", () => {
    const found = secretRedactor("key").text(plantedText);
    const seen = new Set(found.ok ? found.value.findings.map((f) => f.rule) : []);
    for (const kind of Object.keys(plantedSecrets)) expect(seen).toContain(kind.split("/")[0]);
    expect(seen.size).toBeGreaterThanOrEqual(60);
    for (const { text: around, secret } of plantedInContext) expect(around).toContain(secret);
  });

  it("P31 SEC28 SEC29 every channel: index, workspace file, exports and notices hold none; the log holds the exact text", async () => {
    server = await startModelServer();
    const place = placeWithSecrets();
    const stderr = await conversation(place);
    const [id = ""] = sessionsOf(place);
    const out = join(place.folder, "..", "exports");
    mkdirSync(out);
    for (const format of ["md", "html", "json", "jsonl"]) {
      const done = await run(place, ["sessions", "export", id, join(out, `x.${format}`), "--format", format]);
      expect(done.code, done.stderr).toBe(0);
    }
    const listed: [string, string][] = [["stderr", stderr]];
    for (const args of [
      ["sessions", "--all"],
      ["sessions", "search", "keys"],
      ["recall", "keys"],
      ["sessions", "--json"],
    ]) {
      listed.push([args.join(" "), (await run(place, args)).stdout]);
    }
    expect(found(filesUnder(place.home))).toEqual([]);
    expect(found(filesUnder(out))).toEqual([]);
    expect(found(listed)).toEqual([]);
    expect(JSON.stringify(logOf(place, id))).toContain(token);
    expect(listed[2]?.[1]).toMatch(/\[redacted:[a-z-]+:[0-9a-f]{8}\]/);
  });

  it("P31 A2.15 AI12 a provider that echoes keys in its error: neither output, events nor files show them", async () => {
    server = await startModelServer();
    const place = placeFor(server, {
      EVERLONG_API_KEY: configuredKey,
      EVERLONG_HEADERS: "X-Secret-Token: header-secret-0815",
    });
    const echoed = `bad key ${configuredKey} ${token} header-secret-0815 ${plantedSecrets["openai-key"]}`;
    server.script(error(401, echoed));
    const done = await run(place, ["-p", "go", "--output-format", "stream-json"]);
    expect(done.code).toBe(1);
    expect(done.stderr).toContain("EVERLONG_API_KEY");
    const all = done.stdout + done.stderr + JSON.stringify(logOf(place));
    for (const secret of [configuredKey, token, "header-secret-0815", plantedSecrets["openai-key"] ?? ""]) {
      expect(all).not.toContain(secret);
    }
  });

  it("SEC24 AI12 no command of the model sees the configured key, and --api-key is not in the list of processes", async () => {
    server = await startModelServer();
    const command =
      "env; cat /proc/$PPID/cmdline /proc/$(ps -o ppid= -p $PPID | tr -d ' ')/cmdline | tr '\\0' ' '; ps axww";
    server.script(calls([{ name: "bash", args: { command, description: "x" } }]), text("done"));
    const place = placeFor(server, { OTHER_NAME: `token ${configuredKey}` });
    const done = await run(place, ["-p", "go", "--allow-all", "--api-key", configuredKey]);
    expect(done.code, done.stderr).toBe(0);
    expect(server.requests[1]?.rawBody).toContain("PATH=");
    expect(server.requests[1]?.rawBody).not.toContain(configuredKey);
  });

  it("T4 a build whose filter lets everything through is seen", async () => {
    server = await startModelServer();
    const bin = brokenCopy(
      /redact: [\w.]*\bsecretFilter\([\w.]*secretKey\([^)]*\), secrets\)/,
      "redact: (text) => text",
    );
    const place = { ...placeWithSecrets(), bin };
    await conversation(place);
    expect(found(filesUnder(place.home)).length).toBeGreaterThan(allSecrets.length / 2);
  });
});
