// XI1–XI7, PI5 over random sessions of all four wires: parallel calls, reasoning, thinking, images, rewinds, resends, restarts.
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { startModelServer } from "../model-server/server.ts";
import { soakCount } from "../tool/soak.ts";
import { openInProcess } from "./in-process.ts";
import { type Anatomy, RandomSession, type Step, steps } from "./random-session.ts";
import { chat, claude, codex, gemini, OPENCODE } from "./scripted-client.ts";

const WINDOW = 16_000;
const RESERVE = 4000;
const ENV = {
  EVERLONG_PROXY_WINDOWS: `*: ${WINDOW}`,
  EVERLONG_PROXY_RESERVE_TOKENS: String(RESERVE),
  EVERLONG_PROXY_HIGH_WATER: "0.8",
  EVERLONG_PROXY_TOOL_OUTPUT_MAX_CHARS: "4000",
  // The searching thread is started from source here, after each restart.
  EVERLONG_PROXY_RECALL_TIMEOUT_MS: "5000",
};
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const usable = WINDOW - RESERVE;

const SESSIONS = soakCount(5, 60);
const SEARCHES = soakCount(3, 100);
/** Cut more than once, whatever else is drawn. */
const LONG: Step[] = Array.from({ length: 24 }, (_, n) => ({
  type: "results",
  sizes: [3000, 5000, 900],
  calls: n % 5 === 4 ? 0 : 2,
  reasoning: true,
  says: n % 2 === 0,
}));

const WIRES: Record<string, Anatomy> = {
  responses: {
    dialect: codex,
    tool: "exec_command",
    history: "input",
    image: { type: "input_image", image_url: `data:image/png;base64,${PNG}` },
    usable,
  },
  claude: {
    dialect: claude,
    tool: "Bash",
    history: "messages",
    image: { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
    usable,
  },
  gemini: {
    dialect: gemini,
    tool: "run_shell_command",
    history: "contents",
    image: { inlineData: { mimeType: "image/png", data: PNG } },
    usable,
  },
  chat: {
    dialect: () => chat({ headers: OPENCODE }),
    tool: "run_shell_command",
    history: "messages",
    image: { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
    usable,
  },
};

it.each(Object.entries(WIRES))(
  "XI1 XI2 XI3 XI4 XI5 XI6 XI7 PI5 %s: whatever a session does, every request that is sent is valid, whole and stable",
  async (_wire, anatomy) => {
    const server = await startModelServer();
    const gateway = await openInProcess(server, ENV);
    onTestFinished(async () => {
      await gateway.close();
      await server.close();
    });
    let epochs = 0;
    const property = fc.asyncProperty(steps, async (all: Step[]) => {
      const session = new RandomSession(gateway, server, anatomy);
      await session.run(all);
      epochs += session.epochs;
      // XI7: what was ever left out is in the log of a session, and in none of them twice.
      const logs = [...session.sessions].map((id) =>
        gateway.log(id).filter((event) => String(event["kind"]).startsWith("dropped_")),
      );
      for (const log of logs) expect(new Set(log.map((event) => event["hash"])).size).toBe(log.length);
      const texts = logs.flat().map((event) => String(event["text"]));
      for (const tag of session.gone)
        expect(
          texts.some((text) => text.includes(tag)),
          tag,
        ).toBe(true);
      // PI5: what was not sent is found by a search.
      for (const tag of [...session.gone].slice(0, SEARCHES)) {
        const found = await gateway.api("/api/proxy/search", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ query: tag, limit: 50 }),
        });
        expect(await found.text(), tag).toContain(tag);
      }
      const failures = gateway.events.filter(({ type }) => type === "proxy.soft_failure");
      expect(failures.map(({ data }) => data)).toEqual([]);
    });
    await fc.assert(property, { numRuns: SESSIONS, examples: [[LONG]] });
    expect(epochs).toBeGreaterThan(1);
    expect(server.rejected.map((request) => request.violation)).toEqual([]);
  },
);
