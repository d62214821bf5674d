// A scripted Graphiti server: real HTTP, and every way in which such a server fails or lies.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export type SentMessage = {
  content: string;
  name: string;
  role: string;
  role_type: string;
  timestamp: string;
  source_description: string;
};
export type Call = {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
};
export type Stored = { uuid: string; group: string; message: SentMessage };
/** What happens to one request; undefined: it is answered as a good server does. */
export type Misbehaviour =
  | { type: "status"; status: number; body: string; headers?: Record<string, string> }
  /** The connection is held and nothing is said. */
  | { type: "hang" }
  /** The body is read and stored, then the connection breaks. */
  | { type: "reset"; stores: boolean }
  /** 202, and nothing is stored. */
  | { type: "forget" }
  | { type: "late"; ms: number };
export type Script = (call: Call) => Misbehaviour | undefined;

export type GraphitiServer = {
  url: string;
  calls: Call[];
  connections: () => number;
  episodes: Stored[];
  /** Names of a group in the order of their arrival. */
  names: (group?: string) => string[];
  /** What a search of the group gives. */
  facts: Map<string, Record<string, unknown>[]>;
  /** Facts by their ids. */
  edges: Map<string, Record<string, unknown>>;
  script: Script;
  /** Deleting a group says so and deletes nothing. */
  liesAboutDelete: boolean;
  /** Nobody listens at its address until it is resumed. */
  pause: () => Promise<void>;
  resume: () => Promise<void>;
  close: () => Promise<void>;
};

/** `behind`: a real server that answers what the script leaves alone, such as our own. */
export async function startGraphiti({ behind }: { behind?: string } = {}): Promise<GraphitiServer> {
  let connections = 0;
  const http = createServer((request, response) => void answer(request, response));
  http.on("connection", () => {
    connections += 1;
  });
  const listen = (port: number) => new Promise<void>((resolve) => http.listen(port, "127.0.0.1", resolve));
  const end = () =>
    new Promise<void>((resolve) => {
      http.closeAllConnections();
      http.close(() => resolve());
    });
  await listen(0);
  const { port } = http.address() as AddressInfo;
  const server: GraphitiServer = {
    url: `http://127.0.0.1:${port}`,
    calls: [],
    connections: () => connections,
    episodes: [],
    names: (group) =>
      server.episodes.filter((one) => group === undefined || one.group === group).map((one) => one.message.name),
    facts: new Map(),
    edges: new Map(),
    script: () => undefined,
    liesAboutDelete: false,
    pause: end,
    resume: () => listen(port),
    close: end,
  };
  onTestFinished(() => server.close());

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // the client hung up
    }
    const text = Buffer.concat(chunks).toString("utf8");
    const call: Call = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
    server.calls.push(call);
    const trick = server.script(call);
    if (trick?.type === "hang") return;
    if (trick?.type === "status") {
      response.writeHead(trick.status, { "content-type": "text/plain", ...trick.headers });
      response.end(trick.body);
      return;
    }
    if (trick?.type === "reset") {
      if (trick.stores) await (behind === undefined ? reply(call) : forward(behind, call));
      request.socket.destroy();
      return;
    }
    if (trick?.type === "late") await new Promise((resolve) => setTimeout(resolve, trick.ms));
    const [status, body] =
      trick?.type === "forget"
        ? ([202, { message: "ok", success: true }] as const)
        : behind === undefined
          ? reply(call)
          : await forward(behind, call);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  }

  async function forward(url: string, call: Call): Promise<readonly [number, unknown]> {
    const { method, path, headers, body } = call;
    const names = ["authorization", "content-type", "idempotency-key"];
    const answer = await fetch(url + path, {
      method,
      headers: names.flatMap((name): [string, string][] => (headers[name] ? [[name, String(headers[name])]] : [])),
      ...(method === "POST" ? { body: JSON.stringify(body) } : {}),
    });
    const json: unknown = await answer.json();
    await readBack(url, call);
    return [answer.status, json];
  }

  /** What the server behind holds now, in the groups that somebody wrote to. */
  async function readBack(url: string, { headers, body, method }: Call): Promise<void> {
    const groups = new Set([
      ...server.episodes.map(({ group }) => group),
      ...(method === "POST" ? groupsIn(body) : []),
    ]);
    const episodes: Stored[] = [];
    for (const group of groups) {
      const answer = await fetch(`${url}/episodes/${group}?last_n=1000`, {
        headers: { authorization: String(headers.authorization) },
      });
      if (answer.status !== 200) return;
      for (const { uuid, content, valid_at: timestamp, ...rest } of (await answer.json()) as Record<string, string>[]) {
        const [, role = "", roleType = "", said = ""] = /^(\w*)\((\w+)\): ([\s\S]*)$/.exec(content ?? "") ?? [];
        const { name = "", source_description = "" } = rest;
        const message = {
          content: said,
          name,
          role,
          role_type: roleType,
          timestamp: String(timestamp),
          source_description,
        };
        episodes.push({ uuid: String(uuid), group, message });
      }
    }
    server.episodes = episodes;
  }

  const groupsIn = (body: Call["body"]): string[] =>
    [body["group_id"], ...((body["group_ids"] as unknown[] | undefined) ?? [])].filter((id) => typeof id === "string");

  function reply({ method, path, body }: Call): readonly [number, unknown] {
    const [route = "", query = ""] = path.split("?");
    if (route === "/healthcheck") return [200, { status: "healthy" }];
    if (method === "POST" && route === "/messages") {
      const group = String(body["group_id"]);
      for (const message of body["messages"] as SentMessage[])
        server.episodes.push({ uuid: `e${server.episodes.length + 1}`, group, message });
      return [202, { message: "Messages added to processing queue", success: true }];
    }
    if (method === "POST" && route === "/search")
      return [200, { facts: server.facts.get(String((body["group_ids"] as string[])[0])) ?? [] }];
    const [, area, id = ""] = route.split("/");
    if (area === "episodes") {
      const count = Number(new URLSearchParams(query).get("last_n"));
      const rows = server.episodes.filter(({ group }) => group === decodeURIComponent(id)).slice(-count);
      const edgesOf = (uuid: string) =>
        [...server.edges].flatMap(([id, edge]) => ((edge["episodes"] as string[]).includes(uuid) ? id : []));
      return [
        200,
        rows.map(({ uuid, group, message }) => ({ uuid, group_id: group, entity_edges: edgesOf(uuid), ...message })),
      ];
    }
    if (area === "entity-edge" && server.edges.has(id)) {
      if (method !== "DELETE") return [200, server.edges.get(id)];
      server.edges.delete(id);
      return [200, { message: "Entity Edge deleted", success: true }];
    }
    if (method === "DELETE" && area === "group") {
      if (!server.liesAboutDelete) server.episodes = server.episodes.filter(({ group }) => group !== id);
      return [200, { message: "Group deleted", success: true }];
    }
    if (method === "DELETE" && area === "episode") {
      server.episodes = server.episodes.filter(({ uuid }) => uuid !== id);
      return [200, { message: "Episode deleted", success: true }];
    }
    return [404, { detail: area === "entity-edge" ? `edge ${id} not found` : "Not Found" }];
  }
  return server;
}
