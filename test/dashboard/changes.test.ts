// FE11, the server's side: what the dashboard changes, and what happens when somebody else was faster.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  boardAdopted,
  boardChangeList,
  boardItemShape,
  boardList,
  boardUndone,
  boardView,
} from "../../src/schema/api/board.ts";
import {
  entityList,
  entityView,
  episodeView,
  factList,
  factTimeline,
  graphForgotten,
  graphQueue,
  pinChanged,
  pinList,
  promotionList,
  promotionUndone,
} from "../../src/schema/api/graph.ts";
import { doctorView, healthView } from "../../src/schema/api/health.ts";
import { inboxList, sidekickList } from "../../src/schema/api/inbox.ts";
import { apiError } from "../../src/schema/api/list.ts";
import {
  memoryChanged,
  memoryChangeList,
  memoryList,
  memoryShape,
  memoryStatus,
  memoryUndone,
} from "../../src/schema/api/memory.ts";
import { recallResults, recallStatsShape } from "../../src/schema/api/recall.ts";
import { sessionList } from "../../src/schema/api/session.ts";
import {
  consentList,
  consentRevoked,
  settingChanged,
  settingList,
  trustList,
  trustRevoked,
} from "../../src/schema/api/settings.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { startGateway, type TestGateway } from "../proxy/gateway.ts";
import { ask, refused, sending } from "./ask.ts";

const REPO = "github.com/acme/widgets";

async function stage(env: Record<string, string> = {}): Promise<TestGateway> {
  const server = await startModelServer({ script: () => text("Understood.") });
  onTestFinished(() => server.close());
  return startGateway(server, { env });
}

const record = (fact: string) => ({
  ...{ subject: "deploys", fact, reason: "It came up.", citations: ["docs/deploy.md:3"], scope: "repository" },
  ...{ repository: REPO, approved: true, author: "user" },
});

async function storedPath(gateway: TestGateway): Promise<string> {
  const body = sending("POST", record("We deploy on Fridays."));
  return `/api/memory/records/${(await ask(gateway, memoryChanged, "/api/memory/records", body)).id}`;
}

describe("memories", () => {
  it("M150 F125 an edit is undone; one that came later is shown, and nothing is written", async () => {
    const gateway = await stage();
    const path = await storedPath(gateway);
    const edit = (fact: string, version: string) =>
      gateway.api(path, sending("PATCH", { fact }, { "if-match": version }));
    expect((await edit("We deploy on Mondays.", '"v1"')).status).toBe(200);
    const late = await edit("We deploy on Sundays.", '"v1"');
    expect(late.status).toBe(412);
    const both = apiError.parse(await late.json());
    expect(memoryShape.parse(both.error.details).fact).toBe("We deploy on Mondays.");

    const [change] = (await ask(gateway, memoryChangeList, "/api/memory/changes?all=true")).items;
    const undone = await ask(gateway, memoryUndone, `/api/memory/changes/${change?.id}/undo`, sending("POST", {}));
    expect(undone.record?.fact).toBe("We deploy on Fridays.");
    const again = await gateway.api(`/api/memory/changes/${change?.id}/undo`, sending("POST", {}));
    expect(again.status).toBe(412);
    expect(await refused(gateway, "/api/memory/changes/999/undo", sending("POST", {}))).toEqual([404, "not_found"]);
    expect(await refused(gateway, "/api/memory/changes/1/undo", sending("POST", {}))).toEqual([409, "not_undoable"]);
    expect((await ask(gateway, memoryList, "/api/memory/records")).items.map(({ fact }) => fact)).toEqual([
      "We deploy on Fridays.",
    ]);
    expect((await ask(gateway, memoryStatus, "/api/memory/status")).counts["repository"]).toEqual({ active: 1 });
  });
  it("FB17 F100 an edit of a row that was deleted says when", async () => {
    const gateway = await stage();
    const path = await storedPath(gateway);
    expect((await gateway.api(path, { method: "DELETE", headers: { "if-match": "*" } })).status).toBe(204);
    const late = await gateway.api(path, sending("PATCH", { fact: "Mine." }, { "if-match": '"v1"' }));
    const { error } = apiError.parse(await late.json());
    expect([late.status, error.code]).toEqual([404, "deleted"]);
    expect(error.message).toMatch(/It was deleted at \d{4}-/);
    expect(
      await refused(gateway, "/api/memory/records/mem_none", sending("PATCH", { fact: "x" }, { "if-match": "*" })),
    ).toEqual([404, "not_found"]);
  });
});

describe("citations", () => {
  it("F125 are checked again by the gateway where the repository is on this machine, and refused where it is not", async () => {
    const gateway = await stage();
    const folder = gateway.place.folder;
    const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
    git("init", "-q");
    git("remote", "add", "origin", `https://${REPO}.git`);
    mkdirSync(join(folder, "docs"));
    writeFileSync(join(folder, "docs", "deploy.md"), "one\ntwo\nWe deploy on Fridays.\n");
    const far = await ask(
      gateway,
      memoryChanged,
      "/api/memory/records",
      sending("POST", { ...record("Elsewhere."), repository: "github.com/acme/other" }),
    );
    const check = (id: string | undefined) => `/api/memory/records/${id}/check`;
    expect(await refused(gateway, check(far.id), sending("POST", {}))).toEqual([409, "no_work_tree"]);
    expect((await gateway.cli(["-p", "hello", "--model", "offline"])).code).toBe(0);
    const { items } = await ask(gateway, sessionList, "/api/sessions");
    const repository = items[0]?.repository ?? "";
    const near = await ask(
      gateway,
      memoryChanged,
      "/api/memory/records",
      sending("POST", { ...record("We deploy on Fridays."), repository }),
    );
    const checked = await ask(gateway, memoryChanged, check(near.id), sending("POST", {}));
    expect(checked.record?.citations[0]?.state).not.toBe("unchecked");
    expect(await refused(gateway, check("mem_none"), sending("POST", {}))).toEqual([404, "not_found"]);
  });
});

describe("board", () => {
  it("F126 places are listed, items changed by version, others' branches adopted", async () => {
    const gateway = await stage();
    const at = (branch: string, rest = "") =>
      `/api/memory/board${rest}?repository=${encodeURIComponent(REPO)}&branch=${branch}`;
    const put = (branch: string, body: object, headers = {}) =>
      gateway.api(at(branch, "/items/user/steps"), sending("PUT", body, headers));
    expect((await put("main", { description: "how", content: "1. test" })).status).toBe(201);
    expect((await put("main", { description: "how", content: "2" }, { "if-match": '"v9"' })).status).toBe(412);
    expect(await ask(gateway, boardList, "/api/memory/boards")).toMatchObject({
      items: [{ repository: REPO, branch: "main", items: 1, userItems: 1, capacity: 25 }],
    });
    const adopted = await ask(gateway, boardAdopted, at("topic", "/adopt"), sending("POST", { from: "main" }));
    expect(adopted).toEqual({ copied: ["user/steps"], clashed: [], full: [] });
    expect((await ask(gateway, boardView, at("topic"))).items.map(({ name }) => name)).toEqual(["steps"]);
    expect((await ask(gateway, boardItemShape, at("topic", "/items/user/steps"))).content).toBe("1. test");
    expect(await refused(gateway, at("topic", "/adopt"), sending("POST", { from: "topic" }))).toEqual([
      400,
      "invalid_inputs",
    ]);
    const [change] = (await ask(gateway, boardChangeList, at("topic", "/changes"))).items;
    const undone = await ask(gateway, boardUndone, at("topic", `/changes/${change?.id}/undo`), sending("POST", {}));
    expect(undone.items).toEqual(["user/steps"]);
    expect((await ask(gateway, boardView, at("topic"))).items).toEqual([]);
  });
});

describe("graph and recall", () => {
  it("F127 F125 facts are forgotten, promotions taken back; F128 a search tells its parts and its time", async () => {
    const gateway = await stage();
    const cli = async (...args: string[]) => expect((await gateway.cli(args)).stderr).toBe("");
    await cli("graph", "add", "api", "USES", "redis");
    await cli("promote", "--scope", "workspace", "--kind", "decision", "Sessions live in PostgreSQL");
    const facts = () => ask(gateway, factList, "/api/graph/facts?scope=all");
    const uses = (await facts()).facts.find(({ relation }) => relation === "USES");
    const { entities } = await ask(gateway, entityList, "/api/graph/entities?scope=all");
    const redis = entities.find(({ name }) => name === "redis");
    const view = await ask(gateway, entityView, `/api/graph/entities/${redis?.uuid}`);
    expect(view.facts.map(({ uuid }) => uuid)).toEqual([uses?.uuid]);
    const source = uses?.sources[0];
    const { episode } = await ask(gateway, episodeView, `/api/graph/episodes/${source?.uuid}`);
    expect(episode).toMatchObject({ uuid: source?.uuid, state: "done" });
    const { timeline } = await ask(gateway, factTimeline, "/api/graph/timeline?scope=all");
    expect(timeline).toContainEqual(expect.objectContaining({ type: "begins", fact: uses }));
    expect((await ask(gateway, graphQueue, "/api/graph/queue")).episodes).toEqual([]);

    const gone = await ask(gateway, graphForgotten, `/api/graph/facts/${uses?.uuid}`, { method: "DELETE" });
    expect(gone.facts).toBe(1);
    expect((await facts()).facts.some(({ relation }) => relation === "USES")).toBe(false);
    expect(await refused(gateway, `/api/graph/facts/${uses?.uuid}`, { method: "DELETE" })).toEqual([
      404,
      "fact_not_found",
    ]);
    const [promotion] = (await ask(gateway, promotionList, "/api/graph/promotions")).promotions;
    await ask(gateway, pinChanged, `/api/graph/promotions/${promotion?.id}/pin`, { method: "PUT" });
    const [pin] = (await ask(gateway, pinList, "/api/graph/pins")).pins;
    expect(pin).toMatchObject({ text: "Sessions live in PostgreSQL", origin: "promotion" });
    const ended = await ask(gateway, pinChanged, `/api/graph/pins/${pin?.id}`, { method: "DELETE" });
    expect(ended).toEqual({ id: pin?.id, active: false });
    const undone = await ask(
      gateway,
      promotionUndone,
      `/api/graph/promotions/${promotion?.id}/undo`,
      sending("POST", {}),
    );
    expect(undone.promotion.id).toBe(promotion?.id);

    await ask(gateway, memoryChanged, "/api/memory/records", sending("POST", record("We deploy on Fridays.")));
    const hits = await ask(
      gateway,
      recallResults,
      "/api/recall",
      sending("POST", { query: "when do we deploy", scope: "all", explain: true }),
    );
    expect(hits.results[0]?.kind).toBe("record");
    const parts = Object.values(hits.results[0]?.parts ?? {}).reduce((a, b) => a + b, 0);
    expect(parts).toBeCloseTo(hits.results[0]?.score ?? 0, 6);
    const without = await ask(
      gateway,
      recallResults,
      "/api/recall",
      sending("POST", { query: "when do we deploy", scope: "all", without: ["stem", "plain"] }),
    );
    expect(without.results[0]?.parts).toMatchObject({ stem: 0, plain: 0 });
    expect(without.results[0]?.score).toBeLessThan(hits.results[0]?.score ?? 0);
    expect(hits.durationMs).toBeGreaterThan(0);
    expect(hits.plan?.terms.length).toBeGreaterThan(0);
    expect((await ask(gateway, recallStatsShape, "/api/recall/stats")).items).toBeGreaterThan(0);
  });
});

describe("settings, trust and consent", () => {
  it("F131 every key is seen, switches are moved, locked ones say by what, secrets are masked", async () => {
    const gateway = await stage({ EVERLONG_API_KEY: "sk-verysecret-0123456789", EVERLONG_MEMORY: "true" });
    const { items } = await ask(gateway, settingList, "/api/settings");
    expect(JSON.stringify(items)).not.toContain("verysecret");
    const key = items.find(({ isSwitch, lockedBy, source }) => isSwitch && lockedBy === null && source === "default");
    const path = `/api/settings/${key?.key}`;
    const changed = await ask(gateway, settingChanged, path, sending("PUT", { value: !key?.value }));
    expect(changed.setting).toMatchObject({ key: key?.key, value: !key?.value, source: "user" });
    const file = readFileSync(join(gateway.place.home, "settings.json"), "utf8");
    expect(file).toContain(String(!key?.value));
    expect((await ask(gateway, settingChanged, path, { method: "DELETE" })).setting.value).toBe(key?.value);
    const locked = items.find(({ isSwitch, lockedBy }) => isSwitch && lockedBy !== null);
    if (locked)
      expect(await refused(gateway, `/api/settings/${locked.key}`, sending("PUT", { value: false }))).toEqual([
        400,
        "setting_locked",
      ]);
    expect(await refused(gateway, "/api/settings/model", sending("PUT", { value: true }))).toEqual([
      400,
      "command_usage",
    ]);
    expect(await refused(gateway, "/api/settings/no.such", sending("PUT", { value: true }))).toEqual([
      404,
      "setting_not_found",
    ]);
    expect(await refused(gateway, path, sending("PUT", { value: "yes" }))).toEqual([400, "invalid_inputs"]);
  });
  it("F131 FI7 trust is taken back here and never given", async () => {
    const gateway = await stage();
    const folder = join(gateway.place.folder, "project");
    mkdirSync(folder);
    expect((await gateway.cli(["trust", folder])).code).toBe(0);
    const { items } = await ask(gateway, trustList, "/api/trust");
    expect(items).toHaveLength(1);
    for (const method of ["POST", "PUT", "PATCH"])
      for (const path of ["/api/trust", "/api/consents"])
        expect(
          (await gateway.api(path, sending(method, { folder, root: folder, origin: "https://a.example" }))).status,
        ).toBe(404);
    const revoked = await ask(gateway, trustRevoked, "/api/trust", sending("DELETE", { folder: items[0]?.folder }));
    expect(revoked.wasTrusted).toBe(true);
    expect((await ask(gateway, trustList, "/api/trust")).items).toEqual([]);
    expect((await ask(gateway, consentList, "/api/consents")).items).toEqual([]);
    const consent = { root: folder, origin: "https://a.example" };
    expect(await ask(gateway, consentRevoked, "/api/consents", sending("DELETE", consent))).toEqual({
      ...consent,
      wasGiven: false,
    });
    expect(await refused(gateway, "/api/trust", sending("DELETE", {}))).toEqual([400, "invalid_inputs"]);
  });
  it("F132 F129 health, doctor, inbox and sidekicks answer in the page's shapes", async () => {
    const gateway = await stage();
    const health = await ask(gateway, healthView, "/api/health");
    expect(health).toMatchObject({ status: "ok", pid: gateway.pid });
    expect(health.store.bytes).toBeGreaterThan(0);
    expect((await ask(gateway, doctorView, "/api/health/doctor", sending("POST", {}))).checks.length).toBeGreaterThan(
      5,
    );
    expect((await ask(gateway, inboxList, "/api/memory/inbox")).items).toEqual([]);
    expect(await refused(gateway, "/api/memory/inbox/none/none", { method: "DELETE" })).toEqual([404, "not_found"]);
    expect((await ask(gateway, sidekickList, "/api/memory/sidekicks")).items.length).toBeGreaterThan(0);
  });
});
