// A Graphiti server to talk to: our own gateway in this process, or the one that GRAPHITI_URL names.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openGateway, type RunningGateway } from "../../src/runtime/gateway/gateway.ts";

export type Answer = { status: number; body: unknown; headers: Headers };
export type Graphiti = {
  url: string;
  home: string;
  token: string;
  /** Absent when the server is somebody else's. */
  gateway?: RunningGateway;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** Until every episode was read. */
  settled(group: string): Promise<void>;
  /** Ends and begins anew in the same home. */
  restart(): Promise<void>;
  close(): Promise<void>;
};

export const realUrl = process.env["GRAPHITI_URL"];

/** One at a time in a process: settings come from its environment. */
export async function openGraphiti(auth: "token" | "loopback-open", env: Record<string, string> = {}) {
  const home = mkdtempSync(join(tmpdir(), "everlong-graphiti-"));
  Object.assign(process.env, {
    EVERLONG_HOME: join(home, "home"),
    EVERLONG_GATEWAY_AUTH: auth,
    EVERLONG_EMBEDDER: "none",
    EVERLONG_RECALL_TIMEOUT_MS: "20000",
    ...env,
  });
  const open = async (): Promise<RunningGateway | undefined> => {
    if (realUrl !== undefined) return undefined;
    const opened = await openGateway({ "gateway.port": "0" });
    if (!opened.ok) throw new Error(JSON.stringify(opened.error));
    return opened.value;
  };
  let gateway = await open();
  const url = (): string => realUrl ?? `${gateway?.address}/graphiti`;
  const token = gateway?.token ?? "";
  const stage: Graphiti = {
    get url() {
      return url();
    },
    home: join(home, "home"),
    token,
    ...(gateway ? { gateway } : {}),
    async send(method, path, body, headers = {}) {
      const shown = auth === "token" ? { authorization: `Bearer ${token}` } : {};
      const response = await fetch(url() + path, {
        method,
        redirect: "manual",
        headers: { ...shown, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === "" ? undefined : JSON.parse(text), headers: response.headers };
    },
    post: (path, body) => stage.send("POST", path, JSON.stringify(body)),
    get: (path) => stage.send("GET", path),
    async settled(group) {
      // The graph of the gateway tells nobody when it is idle: a fact that was posted last is looked for.
      const mark = `marker${Math.random().toString(36).slice(2)}`;
      await stage.post("/messages", {
        group_id: group,
        messages: [{ content: `${mark} is now zzz.`, role_type: "user", role: null, timestamp: "1990-01-01" }],
      });
      for (;;) {
        const { body } = await stage.post("/search", { group_ids: [group], query: mark });
        const [fact] = (body as { facts: { uuid: string; episodes: string[] }[] }).facts;
        if (!fact) continue;
        await stage.send("DELETE", `/episode/${fact.episodes[0]}`);
        return;
      }
    },
    async restart() {
      await gateway?.close();
      gateway = await open();
    },
    async close() {
      await gateway?.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return stage;
}
