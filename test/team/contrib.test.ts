// W15: what is offered for running a team's nodes names only what exists.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { serve } from "../../src/command/serve.ts";
import { gatewayRows } from "../../src/settings/table/gateway.ts";

const root = join(import.meta.dirname, "..", "..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");

const names = new Set<string>([...gatewayRows.flatMap(({ env }) => env), "EVERLONG_HOME"]);
/** Variables of the files themselves. */
const THEIRS = ["EVERLONG_PASSWORD", "EVERLONG_HOSTNAME"];

function strangers(text: string): string[] {
  const found = new Set(text.match(/\bEVERLONG_[A-Z_]+\b/g));
  return [...found].filter((name) => !names.has(name) && !THEIRS.includes(name));
}

describe("W15", () => {
  it("W15 every variable and option is one that the program reads", () => {
    for (const name of ["compose.yaml", "Dockerfile", "everlong.service"])
      expect([name, strangers(read(`contrib/${name}`))]).toEqual([name, []]);
    expect(strangers("EVERLONG_DATABASE_ADRESS=x")).toEqual(["EVERLONG_DATABASE_ADRESS"]);
    const [, options = ""] = /^ExecStart=\S+ everlong serve(.*)$/m.exec(read("contrib/everlong.service")) ?? [];
    for (const option of options.split(" ").filter(Boolean))
      expect(serve.options?.some(({ flags }) => flags.startsWith(option))).toBe(true);
  });

  it("W15 W10 compose has a database, two nodes on it and TLS before them, and stops later than a node drains", () => {
    const { services, configs } = parse(read("contrib/compose.yaml"), { merge: true }) as {
      services: Record<string, Record<string, unknown> & { environment?: Record<string, string> }>;
      configs: Record<string, { content: string }>;
    };
    expect(Object.keys(services)).toEqual(["database", "node1", "node2", "proxy"]);
    for (const node of [services["node1"], services["node2"]]) {
      expect(node?.environment?.["EVERLONG_DATABASE_URL"]).toMatch(
        /^postgres:\/\/everlong:.*@database:5432\/everlong$/,
      );
      expect(Number.parseInt(String(node?.["stop_grace_period"]), 10)).toBeGreaterThan(30);
    }
    expect(Number(/^postgres:(\d+)$/.exec(String(services["database"]?.["image"]))?.[1])).toBeGreaterThanOrEqual(15);
    expect(configs["role"]?.content).toMatch(/CREATE ROLE everlong LOGIN PASSWORD/);
    expect(configs["caddy"]?.content).toContain("health_uri /readyz");
    expect(services["proxy"]?.["ports"]).toContain("443:443");
    expect(Number(/TimeoutStopSec=(\d+)/.exec(read("contrib/everlong.service"))?.[1])).toBeGreaterThan(30);
    expect(read("contrib/Dockerfile")).toMatch(/^FROM node:24-slim$/m);
  });
});
