// XE12 X101, the command line over the same operations: the same answers through a gateway and on the files themselves.
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { calls, contextLimit, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { run } from "../tool/everlong.ts";
import { blocksOf, newClient } from "./client.ts";
import { startGateway, type TestGateway } from "./gateway.ts";

async function stage(env: Record<string, string> = {}): Promise<[TestGateway, ModelServer]> {
  const server = await startModelServer({ script: () => text("Understood.") });
  onTestFinished(() => server.close());
  return [await startGateway(server, { env }), server];
}

const RESULT = `the port of zebra is 7001\n${"alpha beta gamma delta ".repeat(300)}\nthe very end`;

async function filled(gateway: TestGateway, server: ModelServer): Promise<void> {
  const client = newClient(gateway, server, "anthropic", { "x-everlong-session": "work-1" });
  server.script(calls([{ name: "read", args: { path: "zebra.md" } }]));
  await client.say("Read the notes.", { "x-everlong-todo": "one" });
  await client.results(RESULT);
  server.script(contextLimit(50_000, 40_000));
  // Long enough that a window of 40,000 tokens can be what refuses it.
  await client.say(`Go on. ${"word ".repeat(30_000)}`);
  await newClient(gateway, server, "openai-chat", { "x-everlong-session": "work-2" }).say("Hi.");
  await expect.poll(async () => (await gateway.cli(["proxy", "search", "work-1:t1.3"])).code).toBe(0);
}

describe("X101 the command line", () => {
  it("says the same through the gateway and, once that has ended, from the files", async () => {
    const [gateway, server] = await stage();
    await filled(gateway, server);
    const asked = [
      ["sessions"],
      ["sessions", "work", "--family", "claude", "--json"],
      ["show", "work-1", "--json"],
      ["todo", "work-1"],
      ["spec", "work-1"],
      ["search", "work-1:t1.3"],
      ["search", "t1.3", "--session", "work-1", "--json"],
      ["events", "work-1", "--json"],
      ["why", "--session", "work-1"],
      ["why", "--json"],
      ["stats", "work-1"],
      ["windows"],
      ["windows", "--json"],
      ["upstreams"],
    ];
    const ask = async () => {
      const answers: unknown[][] = [];
      for (const args of asked) {
        const { code, stdout, stderr } = await gateway.cli(["proxy", ...args]);
        answers.push([args.join(" "), code, stdout, stderr]);
      }
      return answers;
    };
    const through = await ask();
    await gateway.stop();
    expect(await ask()).toEqual(through);
    for (const answer of through) expect(answer.slice(1)).toEqual([0, expect.any(String), ""]);
    const said = (line: string) => String(through.find(([args]) => args === line)?.[2]);
    expect(said("search work-1:t1.3")).toBe(`${RESULT}\n`);
    expect(said("windows")).toMatch(/anthropic\s+scripted-1\s+40,000 tokens/);
    expect(said("sessions").split("\n")[0]).toMatch(/^work-2\s+opencode/);
    expect(JSON.parse(said("windows --json"))).toMatchObject([{ model: "scripted-1", tokens: 40_000 }]);
  });

  it("sets texts from a file, from stdin and in an editor; a prefix must be unique, --last needs none", async () => {
    const [gateway, server] = await stage();
    const client = newClient(gateway, server, "openai-responses", { "x-everlong-session": "work-1" });
    await newClient(gateway, server, "openai-chat", { "x-everlong-session": "work-2" }).say("Hi.");
    await client.say("Hi.");
    const many = await gateway.cli(["proxy", "todo", "work"]);
    expect([many.code, many.stderr]).toEqual([2, expect.stringMatching(/work-1.*work-2|work-2.*work-1/)]);
    expect((await gateway.cli(["proxy", "todo", "nobody"])).code).toBe(1);
    const path = join(gateway.place.folder, "todo.txt");
    writeFileSync(path, "- from a file\n");
    expect((await gateway.cli(["proxy", "todo", "work-1", "-f", path])).code).toBe(0);
    expect(gateway.file("work-1", "todo.md")).toBe("- from a file\n");
    expect((await gateway.cli(["proxy", "pin", "--last"], "from stdin")).code).toBe(0);
    expect(gateway.file("work-1", "pinned.md")).toBe("from stdin");
    const editor = join(gateway.place.folder, "editor.sh");
    writeFileSync(editor, '#!/bin/sh\nprintf "%s, edited" "$(cat "$1")" > "$1"\n');
    chmodSync(editor, 0o700);
    const edit = await run(gateway.place, ["proxy", "pin", "work-1", "--edit"], {
      env: { VISUAL: "", EDITOR: editor },
    });
    expect([edit.code, gateway.file("work-1", "pinned.md")]).toEqual([0, "from stdin, edited"]);
    expect((await gateway.cli(["proxy", "pin", "work-1"])).stdout).toBe("from stdin, edited\n");
    const { sent } = await client.say("Go on.");
    expect(blocksOf(sent)[0]).toContain("<pinned>\nfrom stdin, edited\n</pinned>\n<todo>\n- from a file\n</todo>");
    await gateway.stop();
    expect((await gateway.cli(["proxy", "todo", "work-1"], "without a gateway")).code).toBe(0);
    expect(gateway.file("work-1", "todo.md")).toBe("without a gateway");
  });

  it("erases only with --yes where nobody can be asked; forgets a learned window", async () => {
    const [gateway, server] = await stage();
    await filled(gateway, server);
    const refused = await gateway.cli(["proxy", "delete", "work-1"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--yes")]);
    expect(existsSync(join(gateway.dir, "sessions", "work-1"))).toBe(true);
    expect((await gateway.cli(["proxy", "delete", "work-1", "--yes"])).code).toBe(0);
    expect(existsSync(join(gateway.dir, "sessions", "work-1"))).toBe(false);
    expect((await gateway.cli(["proxy", "windows", "rm", "scripted-1"])).stdout).toBe("Forgotten: scripted-1.\n");
    expect((await gateway.cli(["proxy", "windows", "--json"])).json).toEqual([]);
    await gateway.stop();
    expect((await gateway.cli(["proxy", "delete", "--all"])).code).toBe(2);
    expect((await gateway.cli(["proxy", "delete", "--all", "--yes", "--json"])).json).toEqual({ deleted: 1 });
    expect((await gateway.cli(["proxy", "sessions", "--json"])).json).toEqual([]);
    expect((await gateway.cli(["proxy", "delete", "work-2", "--yes"])).code).toBe(1);
  });
});
