// `everlong demo`: a week that every view of the dashboard has something of, in a home of its own.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { factList } from "../../src/schema/api/graph.ts";
import { inboxList, sidekickList } from "../../src/schema/api/inbox.ts";
import { memoryList } from "../../src/schema/api/memory.ts";
import { overview } from "../../src/schema/api/overview.ts";
import { requestList, requestView } from "../../src/schema/api/request.ts";
import { sessionEventList, sessionList, sessionView } from "../../src/schema/api/session.ts";
import { taskList } from "../../src/schema/api/task.ts";
import { newPlace, start } from "../tool/everlong.ts";
import { ask, sending } from "./ask.ts";

it("F101 the demo fills a scratch home without a model, serves it, and leaves nothing behind", async () => {
  const place = newPlace({ EVERLONG_EMBEDDER: "none" });
  const child = start(place, ["demo", "--json"], { timeoutMs: 120_000 });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await child.done;
  });
  let out = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    out += chunk.toString();
  });
  await expect.poll(() => out, { timeout: 100_000 }).toContain("\n");
  const { address, link, home } = JSON.parse(out) as Record<string, string>;
  expect(existsSync(place.home)).toBe(false);

  const login = await fetch(`${address}/api/login`, sending("POST", { code: String(link).split("#login=")[1] }));
  expect(login.status).toBe(200);
  const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
  const door = { api: (path: string) => fetch(`${address}${path}`, { headers: { cookie } }) };

  const { items: sessions } = await ask(door, sessionList, "/api/sessions");
  expect(new Set(sessions.map(({ client }) => client))).toEqual(new Set(["everlong", "claude", "codex", "gemini"]));
  expect(sessions.map(({ updatedAt }) => updatedAt)).toEqual(
    sessions
      .map((s) => s.updatedAt)
      .toSorted()
      .reverse(),
  );
  const week = await ask(door, overview, "/api/overview?range=7d");
  expect(week.totals.netSaved).toBeGreaterThan(0);
  expect(week.points.filter(({ turns, requests }) => turns + requests > 0).length).toBeGreaterThan(4);
  expect(week.counts.pending).toBe(1);

  const { items: all } = await ask(door, requestList, "/api/requests?limit=200");
  expect(all.filter(({ recallLost }) => recallLost !== undefined)).toEqual([]);
  const { items: requests } = await ask(door, requestList, "/api/requests?action=trim");
  const request = await ask(door, requestView, `/api/requests/${requests[0]?.id}`);
  expect(new Set(request.items.map(({ mark }) => mark))).toEqual(new Set(["kept", "trimmed", "injected"]));

  const own = sessions.filter(({ source }) => source === "agent");
  const views = [];
  for (const { id } of own) views.push(await ask(door, sessionView, `/api/sessions/${id}`));
  expect(views.every(({ checkpoints }) => checkpoints.length === 1)).toBe(true);
  expect(views.flatMap(({ timeline }) => timeline.map(({ kind }) => kind))).toEqual(
    expect.arrayContaining(["prompt", "compaction", "truncation", "recall", "subagent"]),
  );
  const events = await ask(door, sessionEventList, `/api/sessions/${own[0]?.id}/events?limit=500`);
  expect(events.items.map(({ event }) => event.type)).toContain("user.message");
  expect((await ask(door, taskList, "/api/tasks")).items).toMatchObject([{ name: "reviewer", status: "completed" }]);
  expect((await ask(door, memoryList, "/api/memory/records?all=true")).items).toHaveLength(7);
  const { items: inbox } = await ask(door, inboxList, "/api/memory/inbox");
  expect(inbox.map(({ sequence }) => sequence)).toEqual([2, 1]);
  const { runs } = await ask(door, sidekickList, "/api/memory/sidekicks");
  expect(new Set(runs.map(({ state }) => state))).toEqual(new Set(["completed", "skipped"]));
  const { facts } = await ask(door, factList, "/api/graph/facts?expired=true&scope=all");
  expect(
    facts
      .filter(({ relation }) => relation === "WORKS_AT")
      .map(({ state }) => state)
      .toSorted(),
  ).toEqual(["current", "ended"]);

  child.kill("SIGTERM");
  expect((await child.done).code).toBe(0);
  expect(existsSync(join(String(home)))).toBe(false);
}, 180_000);
