// A home with something in every view, made by real traffic and real commands.
import { onTestFinished } from "vitest";
import { text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { buried, filler } from "../proxy/filler.ts";
import { startGateway, type TestGateway } from "../proxy/gateway.ts";
import { chat, OPENCODE, ScriptedClient } from "../proxy/scripted-client.ts";

export const FACT = "The staging database of the billing team listens on port 54871.";
const SMALL_WINDOW = { EVERLONG_PROXY_WINDOWS: "*: 12000", EVERLONG_PROXY_RESERVE_TOKENS: "1000" };

export async function emptyGateway(
  env: Record<string, string> = {},
): Promise<{ gateway: TestGateway; server: ModelServer }> {
  const server = await startModelServer({ script: () => text("I see.") });
  onTestFinished(() => server.close());
  const gateway = await startGateway(server, { env: { ...SMALL_WINDOW, ...env } });
  return { gateway, server };
}

/** A client whose history is so long that its request is cut, and that asks for what was cut away. */
export async function longSession(gateway: { url: string }, session: string): Promise<ScriptedClient> {
  const client = new ScriptedClient(gateway, chat({ headers: { ...OPENCODE, "x-session-affinity": session } }));
  const { dialect } = client;
  const call = {
    id: "call_1",
    type: "function",
    function: { name: "read_file", arguments: '{"command":"cat notes.txt"}' },
  };
  client.history.push(
    dialect.user("Look at the notes."),
    { role: "assistant", content: null, tool_calls: [call] },
    ...dialect.results([{ id: "call_1", name: "read_file", output: buried(FACT, 1000, 1) }]),
    dialect.assistant("I have read the notes."),
  );
  for (let round = 0; round < 30; round++)
    client.history.push(
      dialect.user(`Then chapter ${round}: ${filler(1500, round)}`),
      dialect.assistant(`Read ${round}.`),
    );
  await client.ask("Which port does the staging database of the billing team listen on?");
  return client;
}

/** Sessions, a request that was cut, memories, a board, facts; `gateway` runs on it. */
export async function filledGateway(
  env: Record<string, string> = {},
): Promise<{ gateway: TestGateway; server: ModelServer }> {
  const filled = await emptyGateway(env);
  const { gateway } = filled;
  const place = gateway.place;
  await longSession(gateway, "long-1");
  await new ScriptedClient(gateway, chat({ headers: { ...OPENCODE, "x-session-affinity": "short-1" } })).ask(
    "Say hello.",
  );
  for (const args of [
    ["memory", "add", "We deploy on Fridays, by hand, from main"],
    ["memory", "add", "Payment tests must not call the live provider"],
    ["promote", "--scope", "workspace", "--kind", "decision", "We use PostgreSQL 17"],
    ["--model", "offline", "-p", "Anna works at Acme. Which file sets the port?"],
  ]) {
    const finished = await gateway.cli(args);
    if (finished.code !== 0) throw new Error(`${args.join(" ")}: ${finished.stderr}`);
  }
  const board = `/api/memory/board/items/user/deploys?repository=github.com/acme/shop&branch=main`;
  const added = await gateway.api(board, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ description: "How and when we deploy", content: "Fridays, by hand, from main." }),
  });
  if (!added.ok) throw new Error(`board: ${await added.text()} in ${place.home}`);
  return filled;
}
