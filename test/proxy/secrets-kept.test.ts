// X53, XI7, XI14: what is kept of a lane (shortened texts, state blocks, TODO, namespace) holds no secret either.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { newClient } from "./client.ts";
import { startGateway } from "./gateway.ts";

const inResult = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
const inTodo = `ghp_${"Z9y8X7w6V5u4".repeat(3)}`;
const inPinned = `ghp_${"q1W2e3R4t5Y6".repeat(3)}`;
const inRepo = `ghp_${"M1n2B3v4C5x6".repeat(3)}`;

it("X53 XI7 XI14 a secret in a shortened result, a TODO header, pinned text or a remote's address is in no file of the store", async () => {
  const server = await startModelServer({ script: () => text("Understood.") });
  onTestFinished(() => server.close());
  const env = { EVERLONG_PROXY_WINDOWS: "*: 12000", CLIPROXY_RESERVE_TOKENS: "1000" };
  const gateway = await startGateway(server, { env });
  const client = newClient(gateway, server, "openai-chat", {
    "x-everlong-session": "kept",
    "x-everlong-repo": `https://x-access-token:${inRepo}@github.com/o/r`,
  });
  await client.say("Begin.", { "x-everlong-todo": `rotate ${inTodo}` });
  const pinned = await gateway.api("/api/proxy/sessions/kept/pinned", {
    method: "PUT",
    headers: { "content-type": "application/json", "if-match": "*" },
    body: JSON.stringify({ text: `the key is ${inPinned}` }),
  });
  expect(pinned.status).toBeLessThan(300);
  for (let n = 0; n < 3; n++) {
    server.script(calls([{ name: "read", args: { path: `f${n}` } }]));
    await client.say(`Read ${n}.`);
    await client.results(
      `token ${inResult} is in the head\n${"lorem ipsum dolor sit amet ".repeat(n === 2 ? 9_000 : 1_800)}`,
    );
  }
  const last = server.requests.at(-1)?.rawBody ?? "";
  expect(last.includes("characters left out here")).toBe(true);
  expect(last.includes("rotate [redacted:")).toBe(true);
  await gateway.stop();
  for (const secret of [inResult, inTodo, inPinned, inRepo])
    for (const name of readdirSync(gateway.place.home, { recursive: true, encoding: "utf8" })) {
      const bytes = (() => {
        try {
          return readFileSync(join(gateway.place.home, name), "latin1");
        } catch {
          return ""; // a folder
        }
      })();
      expect(bytes.includes(secret), `${secret} in ${name}`).toBe(false);
    }
});
