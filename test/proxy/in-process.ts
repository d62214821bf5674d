// The gateway inside of the test's own process, for properties that need thousands of requests: the same composition as
// `everlong serve`, with a real store and real HTTP.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openGateway, type RunningGateway } from "../../src/runtime/gateway/gateway.ts";
import { type GatewayEvent, gatewayEvent } from "../../src/schema/event/gateway.ts";
import { setEnvironment } from "../tool/environment.ts";
import { newPlace } from "../tool/everlong.ts";

export type InProcess = {
  url: string;
  home: string;
  /** What went wrong softly, and every other event. */
  events: GatewayEvent[];
  /** Ends and begins anew in the same home. */
  restart(): Promise<void>;
  /** Lines of a session's events.jsonl. */
  log(session: string): Record<string, unknown>[];
  api(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
};

/** One at a time in a test: settings come from the process's environment. */
export async function openInProcess(upstream: { url: string }, env: Record<string, string> = {}): Promise<InProcess> {
  const { home } = newPlace();
  setEnvironment({
    EVERLONG_HOME: home,
    EVERLONG_UPSTREAM_OPENAI: upstream.url,
    EVERLONG_UPSTREAM_ANTHROPIC: upstream.url,
    EVERLONG_UPSTREAM_GEMINI: upstream.url,
    EVERLONG_EMBEDDER: "none",
    ...env,
  });
  const events: GatewayEvent[] = [];
  const open = async (): Promise<RunningGateway> => {
    const opened = await openGateway({ "gateway.port": "0" });
    if (!opened.ok) throw new Error(JSON.stringify(opened.error));
    opened.value.on((event) => events.push(gatewayEvent.parse(event)));
    return opened.value;
  };
  let running = await open();
  return {
    get url() {
      return running.address;
    },
    home,
    events,
    async restart() {
      await running.close();
      running = await open();
    },
    log(session) {
      const path = join(home, "proxy", "sessions", session, "events.jsonl");
      const text = existsSync(path) ? readFileSync(path, "utf8") : "";
      return text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    api: (path, init = {}) =>
      fetch(running.address + path, {
        ...init,
        headers: { authorization: `Bearer ${running.token}`, ...init.headers },
      }),
    close: () => running.close(),
  };
}
