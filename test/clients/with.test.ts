// `everlong with`: an agent on the same terminal, a gateway that comes and goes with it, nothing left behind.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../agent/scene.ts";
import { openTerminal } from "../agent/terminal.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { newPlace, type Place, run, start } from "../tool/everlong.ts";
import { treeChanges, treeOf } from "../tool/tree-hash.ts";
import { stage } from "./stage.ts";
import { askClaude } from "./stand-in.ts";

const addressIn = (stderr: string): string => /gateway (http:\S+?)[, ]/.exec(stderr)?.[1] ?? "";
const runsIn = (place: Place): string[] => {
  const folder = join(place.home, "with");
  return existsSync(folder) ? readdirSync(folder) : [];
};
const isOpen = (address: string): Promise<boolean> =>
  fetch(`${address}/healthz`).then(
    () => true,
    () => false,
  );

describe("everlong with", () => {
  it("X111 XE13 F83 starts a gateway, gives the agent's exit code, and ends it", async () => {
    const { server, place } = await stage(`${askClaude}\nprocess.exit(7);`);
    const done = await run(place, ["with", "claude"], { env: { ANTHROPIC_API_KEY: "sk-ant-mine-0123456789" } });
    expect([done.code, done.stdout]).toEqual([7, "200 PELICAN\n"]);
    const [line, ...more] = done.stderr.trimEnd().split("\n");
    expect(more).toEqual([]);
    expect(line).toMatch(/^everlong: gateway http:\/\/127\.0\.0\.1:\d+ \(for this run\), session: [^,]+$/);
    const headers = server.requests[0]?.headers ?? {};
    expect(headers["x-api-key"]).toBe("sk-ant-mine-0123456789");
    expect(Object.keys(headers).filter((name) => name.startsWith("x-everlong"))).toEqual([]);
    expect(await isOpen(addressIn(done.stderr))).toBe(false);
    expect(existsSync(join(place.home, "gateway.json"))).toBe(false);
    expect(runsIn(place)).toEqual([]);
  });

  it("X111 uses the gateway that runs, and leaves it running", async () => {
    const { place } = await stage(askClaude);
    const serve = start(place, ["serve", "--quiet"]);
    await until("the gateway", () => existsSync(join(place.home, "gateway.json")));
    const { address } = JSON.parse(readFileSync(join(place.home, "gateway.json"), "utf8")) as { address: string };
    const done = await run(place, ["with", "claude"]);
    expect(done.stdout).toBe("200 PELICAN\n");
    expect(addressIn(done.stderr)).toBe(address);
    expect(done.stderr).not.toContain("for this run");
    expect(await isOpen(address)).toBe(true);
    serve.kill("SIGTERM");
    await serve.done;
  });

  it("X111 does not lean on the gateway of another run, which ends with its own agent", async () => {
    const { place } = await stage(
      `${askClaude}\nif (process.argv[2]) await new Promise((r) => process.once("SIGTERM", r));`,
    );
    const first = start(place, ["with", "claude", "wait"]);
    await until("the gateway", () => existsSync(join(place.home, "gateway.json")));
    const { address } = JSON.parse(readFileSync(join(place.home, "gateway.json"), "utf8")) as { address: string };
    const second = await run(place, ["with", "claude"]);
    expect(second.stdout).toBe("200 PELICAN\n");
    expect(addressIn(second.stderr)).not.toBe(address);
    first.kill("SIGTERM");
    expect((await first.done).stdout).toBe("200 PELICAN\n");
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR2"] as const)(
    "X111 passes %s on and waits for the agent",
    async (signal) => {
      const { place } = await stage(
        `process.once("${signal}", () => { console.log("got ${signal}"); setTimeout(() => process.exit(9), 200); });
       console.log("ready"); setInterval(() => {}, 1000);`,
      );
      const agent = start(place, ["with", "claude"]);
      await new Promise((resolve) => agent.stdout?.once("data", resolve));
      agent.kill(signal);
      const done = await agent.done;
      expect([done.code, done.stdout]).toEqual([9, `ready\ngot ${signal}\n`]);
    },
  );

  it("X111 F83 Ctrl+C in a terminal reaches the agent once, and the agent decides", async () => {
    const { place } = await stage(
      `let n = 0; process.on("SIGINT", () => { n++; if (n === 1) setTimeout(() => { console.log("got " + n); process.exit(5); }, 500); });
       console.log("ready", process.stdin.isTTY); setInterval(() => {}, 1000);`,
    );
    const terminal = openTerminal(place, ["with", "claude"]);
    await terminal.see("link http");
    await terminal.see("ready true");
    terminal.press("ctrl+c");
    await terminal.see("got 1");
    expect(await terminal.exit).toBe(5);
    expect(existsSync(join(place.home, "gateway.json"))).toBe(false);
  });

  it("X111 an agent that a signal ended gives 128 and its number", async () => {
    const { place } = await stage('process.kill(process.pid, "SIGKILL");');
    expect((await run(place, ["with", "claude"])).code).toBe(137);
  });

  it("X111 ends the gateway after the last stream, which may outlive the agent", async () => {
    const { server, place } = await stage(
      `import { spawn } from "node:child_process";
       spawn(process.execPath, [process.argv[2]], { detached: true, stdio: "ignore" });
       await new Promise((r) => setTimeout(r, 1000));`,
    );
    const out = join(place.folder, "answer.txt");
    server.always(() => text("PELICAN", { delayMs: 2500 }));
    const child = join(place.folder, "late.mjs");
    writeFileSync(
      child,
      `import { writeFileSync } from "node:fs"; console.log = (...a) => writeFileSync(${JSON.stringify(out)}, a.join(" "));${askClaude}`,
    );
    expect((await run(place, ["with", "claude", child])).code).toBe(0);
    await until("its output", () => existsSync(out));
    expect(readFileSync(out, "utf8")).toBe("200 PELICAN");
  });

  it("X111 an agent that is not installed: exit 1, named, and nothing was started", async () => {
    const place = newPlace();
    const done = await run(place, ["with", "opencode"]);
    expect(done.code).toBe(1);
    expect(done.stderr).toContain("opencode is not installed");
    expect(existsSync(join(place.home, "gateway.token"))).toBe(false);
    expect(runsIn(place)).toEqual([]);
  });

  it("X112 SEC24 launch files are private and gone afterwards; what a killed run left is swept; no key of ours is inherited", async () => {
    const { place } = await stage(
      `import { statSync, readFileSync } from "node:fs"; import { dirname } from "node:path";
       const path = process.env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH;
       const keys = Object.keys(process.env).filter((n) => n.startsWith("EVERLONG_"));
       console.log(JSON.stringify({ path, file: statSync(path).mode & 0o777, folder: statSync(dirname(path)).mode & 0o777, keys }));`,
      "gemini",
    );
    mkdirSync(join(place.home, "with", "999999999"), { recursive: true });
    writeFileSync(join(place.home, "with", "999999999", "old.json"), "secret");
    const env = {
      GEMINI_API_KEY: "AIza-1",
      EVERLONG_API_KEY: "sk-ours-0123456789",
      EVERLONG_UPSTREAM_OPENAI_KEY: "sk-up-0123456789",
    };
    const done = await run(place, ["with", "gemini"], { env });
    const seen = done.json;
    expect(seen).toMatchObject({ file: 0o600, folder: 0o700 });
    expect(seen["keys"]).not.toContain("EVERLONG_API_KEY");
    expect(seen["keys"]).not.toContain("EVERLONG_UPSTREAM_OPENAI_KEY");
    expect(String(seen["path"]).startsWith(join(place.home, "with"))).toBe(true);
    expect(existsSync(String(seen["path"]))).toBe(false);
    expect(runsIn(place)).toEqual([]);
    expect(statSync(join(place.home, "with")).mode & 0o777).toBe(0o700);
  });

  it("X112 XE13 writes nothing into the user's home and project", async () => {
    const { place } = await stage(askClaude);
    const userHome = dirname(place.home);
    const before = treeOf(userHome);
    await run(place, ["with", "claude"]);
    const changed = treeChanges(before, treeOf(userHome)).filter((change) => !/^. \/?home(?:\/|$)/.test(change));
    expect(changed).toEqual([]);
  });

  it("SEC7 X114 a program without a key is served with the upstream's own, which it never sees", async () => {
    const { server, place } = await stage(
      `const env = process.env; const answer = await fetch(env.OPENAI_BASE_URL + "/chat/completions", { method: "POST",
         headers: { "content-type": "application/json", authorization: "Bearer " + env.OPENAI_API_KEY },
         body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }) });
       console.log(answer.status, env.OPENAI_API_KEY === "sk-up-0123456789");`,
      "tool",
    );
    const done = await run(place, ["with", "--", "tool"], {
      env: { EVERLONG_UPSTREAM_OPENAI_KEY: "sk-up-0123456789" },
    });
    expect(done.stdout).toBe("200 false\n");
    expect(server.requests[0]?.headers["authorization"]).toBe("Bearer sk-up-0123456789");
  });

  it("X113 a base URL that is set is where it goes, past a gateway that does not lead there", async () => {
    const { server, place } = await stage(askClaude);
    const company = await startModelServer({ script: () => text("COMPANY") });
    onTestFinished(() => company.close());
    const serve = start(place, ["serve", "--quiet"]);
    await until("the gateway", () => existsSync(join(place.home, "gateway.json")));
    const done = await run(place, ["with", "claude"], { env: { ANTHROPIC_BASE_URL: company.url } });
    expect([done.stdout, server.requests.length]).toEqual(["200 COMPANY\n", 0]);
    expect(done.stderr).toContain("for this run");
    serve.kill("SIGTERM");
    await serve.done;
  });

  it("X114 --print and --json start nothing and show no token", async () => {
    const { place } = await stage("console.log('started')");
    await run(place, ["with", "claude"]);
    const token = readFileSync(join(place.home, "gateway.token"), "utf8").trim();
    for (const flag of ["--print", "--json"]) {
      const done = await run(place, ["with", flag, "claude", "-p", "x"]);
      expect(done.code).toBe(0);
      expect(done.stdout).toContain("ANTHROPIC_BASE_URL");
      expect(done.stdout).not.toContain(token);
      expect(done.stdout).not.toContain("started");
    }
    expect(existsSync(join(place.home, "gateway.json"))).toBe(false);
  });

  it("N31 a run that sends no request says so in one line; one that does not", async () => {
    const { place } = await stage(`if (process.argv[2] === "ask") { ${askClaude} }`);
    const silent = await run(place, ["with", "claude"]);
    const [, ...more] = silent.stderr.trimEnd().split("\n");
    expect([silent.code, more]).toEqual([
      0,
      [expect.stringMatching(/^everlong: claude sent no request through the gateway/)],
    ]);
    // Another process's gateway knows it as well.
    const serve = start(place, ["serve", "--quiet"]);
    await until("the gateway", () => existsSync(join(place.home, "gateway.json")));
    const asked = await run(place, ["with", "claude", "ask"]);
    expect([asked.stdout, asked.stderr.includes("sent no request")]).toEqual(["200 PELICAN\n", false]);
    expect((await run(place, ["with", "claude"])).stderr).toContain("sent no request");
    serve.kill("SIGTERM");
    await serve.done;
  });

  it("X114 droid: the entry on stdout, exit 1", async () => {
    const done = await run(newPlace(), ["with", "droid"]);
    expect(done.code).toBe(1);
    expect(JSON.parse(done.stdout)).toHaveProperty("customModels");
  });

  it("X114 behind the agent's name everything is the agent's, -- and --help too", async () => {
    const { place } = await stage("console.log(JSON.stringify(process.argv.slice(2)))");
    const done = await run(place, ["with", "claude", "--help", "--model", "x", "--", "-p"]);
    expect(JSON.parse(done.stdout)).toEqual(["--help", "--model", "x", "--", "-p"]);
  });
});
