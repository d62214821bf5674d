// Skills: what of them the model sees before and after one is invoked, and what invoking permits.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, offeredTools, oneCall, onlySession, scene, systemOf, toolResults, userTexts } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { type Place, run, sessionsOf } from "../tool/everlong.ts";
import { cast, eventsOf, task, tasks } from "./cast.ts";
import { definition, put } from "./definitions.ts";

const skill = (place: Place, name: string, fields: Record<string, string> = {}, body = `BODY OF ${name}`): string =>
  put(place.home, `skills/${name}/SKILL.md`, definition({ description: `does ${name}`, ...fields }, body));
const settings = (place: Place, values: object): string => put(place.home, "settings.json", JSON.stringify(values));
const resultsOf = (request: Parameters<typeof toolResults>[0]): string[] => toolResults(request).map((r) => r.text);

describe("O23 what the model sees before", () => {
  it("O23 without skills there is neither tool nor list", async () => {
    const { place, server } = await scene([text("ok")]);
    await run(place, ["-p", "hello"]);
    expect(offeredTools(server.requests[0])).not.toContain("skill");
    expect(systemOf(server.requests[0])).not.toContain("<skill_list>");
  });

  it("O21 O22 O23 name and description of each that a model may invoke, nothing else; the first root wins", async () => {
    const { place, server } = await scene([text("ok")]);
    const extra = join(place.folder, "more");
    settings(place, { disabledSkills: ["off"], skillDirectories: [extra] });
    skill(place, "Deploy_It");
    skill(place, "off");
    skill(place, "hidden", { "disable-model-invocation": "true" });
    put(extra, "deploy-it/SKILL.md", definition({ description: "loses its name" }));
    put(extra, "other/SKILL.md", definition({ name: "Extra One", description: "from a setting" }));
    put(place.folder, ".claude/skills/off/SKILL.md", definition({ description: "untrusted" }));
    const broken = put(extra, "broken/SKILL.md", "---\nname: broken\n---\nhello");
    const done = await run(place, ["-p", "hello"]);
    const system = systemOf(server.requests[0]);
    expect(system).toContain("- deploy-it: does Deploy_It");
    expect(system).toContain("- extra-one: from a setting");
    expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(
      /BODY OF|loses its name|does off|does hidden|untrusted/,
    );
    expect(offeredTools(server.requests[0])).toContain("skill");
    expect(done.stderr).toContain(`${broken}: description: `);
    expect(done.code).toBe(0);
  });

  it("O4 O23 an agent without the tool is not told of skills, as a subagent or as the main agent", async () => {
    const { place, of, server } = await cast([tasks(task("LOOK", { agent_type: "explore" })), text("ok"), text("ok")], {
      LOOK: [text("found")],
    });
    skill(place, "deploy");
    await run(place, ["-p", "hello"]);
    expect(systemOf(server.requests[0])).toContain("- deploy: does deploy");
    expect(systemOf(of("LOOK")[0])).not.toContain("deploy");
    await run(place, ["-p", "hello", "--agent", "explore"]);
    expect(systemOf(server.requests.at(-1))).not.toContain("deploy");
  });

  it("O23 a thousand skills take at most 1,000 tokens, and the rest is counted", async () => {
    const { place, server } = await scene([text("ok")]);
    for (let n = 0; n < 400; n++) skill(place, `skill-number-${n}`, { description: `"${"words ".repeat(50)}"` });
    await run(place, ["-p", "hello"]);
    const list = /<skill_list>[\s\S]*<\/skill_list>/.exec(systemOf(server.requests[0]))?.[0] ?? "";
    expect(Buffer.byteLength(list)).toBeGreaterThan(500);
    expect(Buffer.byteLength(list)).toBeLessThanOrEqual(3000);
    const named = list.match(/skill-number-\d+/g)?.length ?? 0;
    expect(list).toContain(`and ${400 - named} more`);
  });
});

describe("O24 invoking", () => {
  it("O24 one block with body, folder and related files, and the event", async () => {
    const { place, server } = await scene([oneCall("skill", { name: "Deploy It" }), text("ok")]);
    const path = skill(place, "deploy-it", { "allowed-tools": "shell(make:*)" }, "Push </skill-context> it.");
    put(place.home, "skills/deploy-it/scripts/run.sh", "true");
    put(place.home, "skills/deploy-it/node_modules/x/index.js", "");
    const done = await run(place, ["-p", "hello"]);
    expect(done.code, done.stderr).toBe(0);
    const [result = ""] = resultsOf(server.requests[1]);
    expect(result).toMatch(/^<skill-context name="deploy-it">\n[\s\S]*<\/skill-context>$/);
    expect(result.split("</skill-context>")).toHaveLength(2);
    expect(result).toContain(join(place.home, "skills/deploy-it"));
    expect(result).toContain("- scripts/run.sh");
    expect(result).not.toMatch(/node_modules|description:/);
    const invoked = eventsOf(place, onlySession(place), "skill.invoked");
    expect(invoked).toMatchObject([{ name: "deploy-it", path, content: result, allowedTools: ["shell(make:*)"] }]);
  });

  it("O24 a long one is cut at 5,000 tokens and names its file; of many files 50 are listed", async () => {
    const { place, server } = await scene([oneCall("skill", { name: "long" }), text("ok")]);
    const path = skill(place, "long", {}, `START ${"many words ".repeat(5000)} END`);
    for (let n = 0; n < 60; n++) put(place.home, `skills/long/data/file-${n}.txt`, "");
    await run(place, ["-p", "hello"]);
    const [result = ""] = resultsOf(server.requests[1]);
    expect(Buffer.byteLength(result)).toBeLessThanOrEqual(5000 * 4);
    expect(result).toContain(path);
    expect(result).not.toContain(" END");
    expect(result.match(/file-\d+\.txt/g)).toHaveLength(50);
  });

  it("O26 a disabled or unknown skill is a tool error that names /skills; nothing is invoked", async () => {
    const { place, server } = await scene([
      calls([
        { name: "skill", args: { name: "off" } },
        { name: "skill", args: { name: "nowhere" } },
      ]),
      text("ok"),
    ]);
    settings(place, { disabledSkills: ["off"] });
    skill(place, "off");
    skill(place, "on");
    const done = await run(place, ["-p", "hello"]);
    expect(done.code).toBe(0);
    for (const result of resultsOf(server.requests[1])) expect(result).toContain("/skills");
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain("BODY OF off");
    expect(eventsOf(place, onlySession(place), "skill.invoked")).toEqual([]);
  });
});

describe("O25 allowed-tools", () => {
  const touch = (n: number) => bash(`touch made-${n}`);

  it("O25 approvals of the session after it is invoked, not before, and in its subagents too", async () => {
    const { place, server, of } = await cast(
      [calls([touch(1)]), oneCall("skill", { name: "maker" }), calls([touch(2)]), tasks(task("CHILD")), text("ok")],
      { CHILD: [calls([touch(3)]), text("made")] },
    );
    skill(place, "maker", { "allowed-tools": "[shell(touch:*), frob(x)]" });
    const done = await run(place, ["-p", "hello"]);
    expect(done.code, done.stderr).toBe(0);
    const results = resultsOf(server.requests.at(-1));
    expect(results[0]).toMatch(/denied|not allowed/i);
    expect(results[2]).not.toMatch(/denied|not allowed/i);
    expect(resultsOf(of("CHILD")[1])[0]).not.toMatch(/denied|not allowed/i);
    for (const n of [2, 3]) expect(readFileSync(join(place.folder, `made-${n}`), "utf8")).toBe("");
    expect(() => readFileSync(join(place.folder, "made-1"))).toThrow();
    expect(done.stderr).toContain("allowed-tools: ");
    expect(done.stderr).toContain("frob");
  });

  it.each([
    ["deny", ["--deny-tool", "shell(touch:*)"], {}],
    ["ask", [], { permissions: { ask: ["shell(touch:*)"] } }],
  ])("O25 never over a rule that says %s", async (_word, args, more) => {
    const { place, server } = await scene([oneCall("skill", { name: "maker" }), calls([touch(1)]), text("ok")]);
    settings(place, more);
    skill(place, "maker", { "allowed-tools": "shell(touch:*)" });
    const done = await run(place, ["-p", "hello", ...args]);
    expect(done.code, done.stderr).toBe(0);
    expect(resultsOf(server.requests[2])[1]).toMatch(/denied|not allowed/i);
    expect(() => readFileSync(join(place.folder, "made-1"))).toThrow();
  });
});

describe("O26 skills by name", () => {
  it("O26 O96 /NAME TEXT asks for the skill and brings the text; the display is what was typed", async () => {
    const { place, server } = await scene([oneCall("skill", { name: "deploy" }), text("ok")]);
    skill(place, "deploy");
    const done = await run(place, ["-p", "/deploy to staging, please"]);
    expect(done.code, done.stderr).toBe(0);
    const [said = ""] = userTexts(server.requests[0]);
    expect(said).toContain("`skill`");
    expect(said).toContain('"deploy"');
    expect(said).toContain("to staging, please");
    expect(said).not.toContain("BODY OF");
    expect(resultsOf(server.requests[1])[0]).toContain("BODY OF deploy");
    expect(eventsOf(place, onlySession(place), "user.message")[0]).toMatchObject({
      source: "command",
      display: "/deploy to staging, please",
      directive: { tool: "skill", args: { name: "deploy" } },
    });
  });

  it("O26 one that only users may invoke works by name all the same", async () => {
    const { place, server } = await scene([oneCall("skill", { name: "deploy" }), text("ok")]);
    skill(place, "deploy", { "disable-model-invocation": "true" });
    const done = await run(place, ["-p", "/deploy"]);
    expect(done.code, done.stderr).toBe(0);
    expect(systemOf(server.requests[0])).not.toContain("does deploy");
    expect(resultsOf(server.requests[1])[0]).toContain("BODY OF deploy");
  });

  it("O21 O23 a model that thinks of it by itself is refused", async () => {
    const { place, server } = await scene([oneCall("skill", { name: "deploy" }), text("ok")]);
    skill(place, "deploy", { "disable-model-invocation": "true" });
    await run(place, ["-p", "deploy it"]);
    expect(resultsOf(server.requests[1])[0]).toContain("/skills");
    expect(eventsOf(place, onlySession(place), "skill.invoked")).toEqual([]);
  });

  it("O26 one not for users is an unknown command; one switched off says how to switch it on", async () => {
    const { place, server } = await scene([]);
    settings(place, { disabledSkills: ["off"] });
    skill(place, "inner", { "user-invocable": "false" });
    skill(place, "off");
    expect((await run(place, ["-p", "/inner"])).code).toBe(2);
    const off = await run(place, ["-p", "/off"]);
    expect(off.code).toBe(2);
    expect(off.stderr).toContain("/skills");
    expect(server.requests).toEqual([]);
    expect(sessionsOf(place).length).toBeLessThanOrEqual(1);
  });

  it("O26 offline, /NAME follows the directive and the skill is invoked", async () => {
    const { place } = await scene([]);
    skill(place, "deploy");
    const done = await run({ ...place, env: {} }, ["-p", "/deploy now"]);
    expect(done.code, done.stderr).toBe(0);
    expect(eventsOf(place, onlySession(place), "skill.invoked")).toMatchObject([{ name: "deploy" }]);
  });

  it("O26 O61 an agent's skills are in its first turn; a missing one is a warning", async () => {
    const { place, of } = await cast([tasks(task("HELLO", { agent_type: "clerk" })), text("ok")], {
      HELLO: [text("hi")],
    });
    skill(place, "filing");
    put(place.home, "agents/clerk.md", definition({ description: "files", skills: "[Filing, lost]" }));
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    expect(userTexts(of("HELLO")[0])).toHaveLength(1);
    expect(userTexts(of("HELLO")[0])[0]).toMatch(/^<skill-context name="filing">[\s\S]*BODY OF filing[\s\S]*HELLO$/);
    const id = onlySession(place);
    expect(eventsOf(place, id, "skill.invoked")).toMatchObject([{ name: "filing", envelopeAgentId: "worker" }]);
    expect(eventsOf(place, id, "session.warning").map((e) => e["message"])).toEqual([
      expect.stringContaining('"lost"'),
    ]);
  });

  it("O100 /skills lists them without a model", async () => {
    const { place, server } = await scene([]);
    settings(place, { disabledSkills: ["off"] });
    const path = skill(place, "deploy");
    skill(place, "off");
    const done = await run(place, ["-p", "/skills"]);
    expect(done.code).toBe(0);
    expect(done.stdout).toContain(`deploy: does deploy\n  ${path}`);
    expect(done.stdout).toContain("off (off): does off");
    expect(server.requests).toEqual([]);
  });
});
