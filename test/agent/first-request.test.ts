// What the model sees first, as text to be reviewed: one whole request a wire. `npm test -- test/agent/first-request -u` writes them anew.
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Recorded, WireName } from "../model-server/recorded.ts";
import { text } from "../model-server/reply.ts";
import { type Place, run } from "../tool/everlong.ts";
import { onlySession, scene } from "./scene.ts";

const WIRES: WireName[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];
/** Headers of the HTTP library tell nothing about the product. */
const OF_HTTP = new Set(["host", "connection", "content-length", "accept", "accept-language", "sec-fetch-mode"]);

describe("the first request", () => {
  it.each(WIRES)("A4.3 %s: the whole request is what was reviewed", async (wire) => {
    const { server, place } = await scene([text("ok")], { env: { EVERLONG_WIRE: wire } });
    writeFileSync(join(place.folder, "AGENTS.md"), "Use tabs in this repository.\n");
    const outcome = await run(place, ["-p", "What is in this folder?"]);
    expect(outcome.code, outcome.stderr).toBe(0);
    await expect(readable(server.requests[0], place)).toMatchFileSnapshot(`./first-request/${wire}.txt`);
  });
});

/** The request with long texts as lines, and without what differs from run to run. */
function readable(request: Recorded | undefined, place: Place): string {
  if (!request) return "no request";
  const headers = Object.entries(request.headers).filter(([name]) => !OF_HTTP.has(name) && name !== "user-agent");
  const lines = [
    `POST ${request.path}${request.query}`,
    ...headers.toSorted().map(([name, value]) => `${name}: ${value}`),
    "",
    ...outline(request.body, ""),
  ];
  return `${lines
    .join("\n")
    .replaceAll(dirname(place.folder), "PLACE")
    .replaceAll(onlySession(place), "SESSION")
    .replaceAll(tmpdir(), "TMP")
    .replace(/\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?/g, "DATE")
    .replace(/^( +System): .*$/m, "$1: SYSTEM")}\n`;
}

/** One line a value; a text of several lines stands below its name, indented. */
function outline(value: unknown, indent: string): string[] {
  if (typeof value !== "object" || value === null) return [`${indent}${shown(value, indent)}`];
  return Object.entries(value).flatMap(([key, member]) => {
    const name = Array.isArray(value) ? `[${toolName(member) ?? key}]` : key;
    if (typeof member !== "object" || member === null) return [`${indent}${name}: ${shown(member, indent)}`];
    const flat = JSON.stringify(member);
    return flat.length <= 100
      ? [`${indent}${name}: ${flat}`]
      : [`${indent}${name}:`, ...outline(member, `${indent}  `)];
  });
}

/** A tool is shown by its name, so that a new one changes nothing but its own lines. */
const toolName = (value: unknown): string | undefined => {
  const { name, function: called } = (value ?? {}) as { name?: string; function?: { name?: string } };
  return name ?? called?.name;
};

function shown(value: unknown, indent: string): string {
  if (typeof value !== "string") return JSON.stringify(value);
  if (!value.includes("\n")) return value;
  return ["|", ...value.split("\n").map((line) => (line === "" ? "" : `${indent}    ${line}`))].join("\n");
}
