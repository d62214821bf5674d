// Nodes of a team for tests: `everlong serve --database` as processes of their own, and members with their tokens.

import { startGateway, type TestGateway } from "../proxy/gateway.ts";
import { newPlace, run } from "../tool/everlong.ts";

export type TestMember = { token: string; id: string; tenant: string; user: string };
type Json = Record<string, unknown>;

export const startNode = (url: string, more: Record<string, string> = {}): Promise<TestGateway> =>
  startGateway({ url: "http://127.0.0.1:9" }, { env: { EVERLONG_DATABASE_URL: url, ...more } });

export async function addMember(url: string, args: string): Promise<TestMember> {
  const done = await run(newPlace({ EVERLONG_DATABASE_URL: url }), ["token", "add", ...args.split(" "), "--json"]);
  if (done.code !== 0) throw new Error(`${done.stderr}${done.stdout}`);
  return JSON.parse(done.stdout) as TestMember;
}

export type Answer = { status: number; body: Json; headers: Headers };

/** A request of a member to a node. */
export async function ask(
  node: Pick<TestGateway, "url">,
  who: { token: string },
  line: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const [method = "GET", path = "/"] = line.split(" ");
  const response = await fetch(`${node.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${who.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text.startsWith("{") ? (JSON.parse(text) as Json) : { text },
    headers: response.headers,
  };
}

export const fact = (text: string, more: Json = {}): Json => ({
  ...{ subject: "build", fact: text, citations: ["src/a.ts:3"], reason: "it will be needed", repository: "acme/app" },
  ...more,
});

export const codeOf = ({ status, body }: Answer): [number, unknown] => [
  status,
  (body["error"] as Json | undefined)?.["code"],
];
