// FE14 F108: the errors that people meet most, each by its real cause: what happened, what it means for the data, what to do, a code.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onlySession, scene, writeIn } from "../agent/scene.ts";
import { calls, error, text } from "../model-server/reply.ts";
import { type Finished, newPlace, run } from "../tool/everlong.ts";

/** The message as one line: faces may break it between sentences. */
const words = ({ stderr }: Finished): string => stderr.replace(/\s+/g, " ");
const GO = ["-p", "go", "--allow-all"];

describe("FE14 F108 the ten errors", () => {
  it("F108 FE14 no terminal and no text", async () => {
    const done = await run(newPlace(), []);
    expect([done.code, done.stdout]).toEqual([2, ""]);
    expect(done.stderr).toBe(
      'Nothing to do: no terminal and no prompt.\nNothing was started.\nGive text: everlong -p "…" or pipe it in. [no_prompt]\n',
    );
  });

  it("F108 FE14 F105 a flag that does not exist, of the program and of a command", async () => {
    const place = newPlace();
    const [flag, deep, free] = await Promise.all([
      run(place, ["--modle", "x"]),
      run(place, ["sessions", "list", "--limmit", "3"]),
      run(place, ["recall", "x", "--zzzzzz"]),
    ]);
    expect([flag.code, deep.code, free.code]).toEqual([2, 2, 2]);
    expect(flag.stderr).toBe('Unknown option "--modle".\nNothing was started.\nDid you mean --model? [usage]\n');
    expect(deep.stderr).toBe('Unknown option "--limmit".\nNothing was started.\nDid you mean --limit? [usage]\n');
    expect(words(free)).toBe(
      'Unknown option "--zzzzzz". Nothing was started. everlong help recall shows its options. [usage] ',
    );
  });

  it("F105 F108 a missing argument, a subcommand and a help page that do not exist: the error names the command", async () => {
    const place = newPlace();
    const [missing, strange, near, page, file] = await Promise.all([
      run(place, ["sessions", "show"]),
      run(place, ["graph", "finish", "x"]),
      run(place, ["inbox", "shoow"]),
      run(place, ["help", "sesions"]),
      run(place, ["eval", "recall", "nowhere.json"]),
    ]);
    expect(words(file)).toContain("nowhere.json cannot be read: no such file or directory.");
    for (const done of [missing, strange, near, page]) expect([done.code, done.stdout]).toEqual([2, ""]);
    expect(words(missing)).toContain("everlong help sessions show shows its options. [usage]");
    expect(words(strange)).toMatch(
      /^everlong graph has no command "finish"\. Nothing was started\. It has: facts, search, .*, undo\. \[unknown_command\] $/,
    );
    expect(words(near)).toContain('everlong inbox has no command "shoow". Nothing was started. Did you mean show? ');
    expect(words(page)).toContain('everlong has no command "sesions". Nothing was started. Did you mean sessions? ');
  });

  it("F108 FE14 A2.15 a key that the provider refuses", async () => {
    const { place, server } = await scene(() => error(401, "Incorrect API key provided"));
    const done = await run(place, GO);
    expect(done.code).toBe(1);
    const host = new URL(server.url).host.replaceAll(".", "\\.");
    const id = onlySession(place).slice(0, 8);
    expect(words(done)).toMatch(
      new RegExp(
        `The provider at ${host} refused the key in EVERLONG_API_KEY \\(401\\)\\. It said: Incorrect API key provided\\. ` +
          `Your prompt and session are saved\\. Set a valid key, then: everlong --resume ${id} \\[provider_auth\\]`,
      ),
    );
    expect(done.stderr).not.toContain("test-key-0123456789");
  });

  it("F108 FE14 a server that is gone after its first answer", async () => {
    const { place, server } = await scene([text("one")], { env: { EVERLONG_RETRY_MAX: "4" } });
    expect((await run(place, GO)).code).toBe(0);
    const { host } = new URL(server.url);
    await server.close();
    const done = await run(place, ["--resume", onlySession(place), ...GO]);
    expect(done.code).toBe(1);
    expect(words(done)).toMatch(
      new RegExp(
        `No answer from ${host.replaceAll(".", "\\.")} after 5 tries \\(.*\\)\\. Your session is saved\\. ` +
          "Start the server or pick another model with /model\\. \\[provider_unreachable\\]",
      ),
    );
  });

  it("F108 FE14 C40 a request that cannot fit", async () => {
    const { place } = await scene([text("never")], { env: { EVERLONG_MAX_PROMPT_TOKENS: "3000" } });
    writeIn(place, "AGENTS.md", "word ".repeat(12_000));
    const done = await run(place, GO);
    expect(done.code).toBe(1);
    expect(words(done)).toMatch(
      /The request needs \d+ tokens, the model takes \d+, and compaction could not free enough: \d+ are instructions, tools and memory\. Largest: .*\. Nothing was sent and nothing was removed\. See \/context\. .*\[context_cannot_fit\]/,
    );
  });

  it("F108 FE14 P4 no space for the log", async () => {
    const work = calls([{ name: "bash", args: { command: "seq 1 1500", description: "x" } }], {
      text: "step ".repeat(8000),
    });
    const { place } = await scene(() => work, { env: { EVERLONG_DISK_FULL_SECONDS: "0" } });
    const under = ["bash", "-c", "trap '' XFSZ; ulimit -f 700; exec \"$@\"", "bash"];
    const done = await run(place, GO, { under });
    expect(done.code).toBe(1);
    const id = onlySession(place);
    expect(words(done)).toMatch(
      new RegExp(
        `Could not save the last event: no space left in \\S*/sessions/${id}\\. Everything before it is safe: session ${id} ` +
          `is saved up to event \\S+; what came after it is not\\. Free space and send again: everlong --resume ${id} \\[store_full\\]`,
      ),
    );
  });

  it("F108 FE14 P3 a log with an incomplete last line", async () => {
    const { place } = await scene(() => text("fine"));
    expect((await run(place, GO)).code).toBe(0);
    const id = onlySession(place);
    appendFileSync(join(place.home, "sessions", id, "events.jsonl"), '{"id":"half');
    const done = await run(place, ["--resume", id, ...GO]);
    expect(done.code).toBe(0);
    expect(words(done)).toMatch(
      /Line \d+ of events\.jsonl is incomplete \(11 bytes at offset \d+\)\. \d+ events were read; the rest was moved to \S*quarantine\/\S+\. You can go on\. \[log_damaged\]/,
    );
  });

  it("F108 FE14 a setting of the wrong kind", async () => {
    const place = newPlace();
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, "settings.json"), '{\n  "recall.timeoutMs": "fast"\n}\n');
    const done = await run(place, GO);
    expect(done.code).toBe(0);
    expect(words(done)).toMatch(
      /settings\.json line 2: "recall\.timeoutMs" must be a whole number from 100 to 60000, found "fast"\. The default 750 is used\. \[setting_invalid\]/,
    );
  });

  it("F108 FE14 M20 a memory that is only a secret", async () => {
    const secret = `ghp_${"a1B2c3".repeat(6)}`;
    const done = await run(newPlace(), ["memory", "add", secret]);
    expect(done.code).toBe(1);
    expect(words(done)).toBe(
      'Not stored: without the credential in "fact" nothing is left to remember. Nothing was written. Say it without the secret: where it is kept, or how it is used. [memory_secret] ',
    );
    expect(done.stderr).not.toContain(secret);
  });

  it("F108 FE14 GC4 a Graphiti server that nobody consented to", async () => {
    const url = "http://10.0.0.5:8000";
    const { place } = await scene(() => text("fine"), {
      env: { EVERLONG_GRAPHITI_ENDPOINT: url, EVERLONG_GRAPHITI_ENABLED: "true" },
    });
    const done = await run(place, [...GO, "--trust-folder"]);
    expect(done.code).toBe(0);
    expect(words(done)).toContain(
      `Graph memory is set to ${url} but this folder has not consented. Nothing was sent. To allow: everlong consent grant ${url}`,
    );
    expect(done.stderr).toContain("consent_missing");
  });
});
