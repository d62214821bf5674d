// A small managed request through a gateway on store.db and through a team's node on PostgreSQL, one after the other.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNode } from "./node.ts";

const WARM = 30;
const COUNT = 300;

export type ManagedTimes = { sqlite: number[]; postgres: number[] };

/** `token`: a member's. */
export async function managedBeside(url: string, token: string): Promise<ManagedTimes> {
  const upstream = createServer((req, res) => {
    req.resume().on("end", () => {
      res.setHeader("content-type", "application/json");
      res.end(
        JSON.stringify({
          ...{ id: "c", object: "chat.completion", created: 1, model: "gpt-4o" },
          choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
          usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 },
        }),
      );
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const folder = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  const env = { EVERLONG_UPSTREAM_OPENAI: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` };
  const home = await startNode(join(folder, "1"), env);
  const node = await startNode(join(folder, "2"), { ...env, EVERLONG_DATABASE_URL: url });
  try {
    const times: ManagedTimes = { sqlite: [], postgres: [] };
    const messages: { role: string; content: string }[] = [];
    for (let i = 0; i < WARM + COUNT; i++) {
      if (i % 20 === 0) messages.length = 0;
      messages.push({ role: "user", content: `Look at part ${i}.` });
      const body = JSON.stringify({ model: "gpt-4o", messages });
      const send = async (address: string, headers: Record<string, string>): Promise<number> => {
        const start = performance.now();
        const response = await fetch(`${address}/v1/chat/completions`, {
          method: "POST",
          headers: {
            ...{ "content-type": "application/json", authorization: "Bearer sk-bench", "user-agent": "opencode/1.0" },
            ...{ "x-everlong-session": `s${Math.floor(i / 20)}`, ...headers },
          },
          body,
        });
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`${response.status}`);
        return performance.now() - start;
      };
      const [here, there] = [await send(home.address, {}), await send(node.address, { "x-everlong-token": token })];
      messages.push({ role: "assistant", content: "ok" });
      if (i < WARM) continue;
      times.sqlite.push(here);
      times.postgres.push(there);
    }
    return times;
  } finally {
    for (const { child } of [home, node]) child.kill("SIGKILL");
    upstream.closeAllConnections();
    upstream.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
