// The session behind the screen: opened, shown with what it had, followed, exchanged for a new one, closed.
import { homedir } from "node:os";
import { sep } from "node:path";
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { slashNames } from "../../command/table.ts";
import { type Client, home, type OpenOptions, openClient, type Prompts } from "../../runtime/client.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import type { HeaderFacts, MemoryFacts } from "../view/header.ts";

type OpenedSession = { client: Client; notices: string[] };

/** `listen` gets first what the log had, then every event as it happens. */
export async function openConversation(
  open: Omit<OpenOptions, "prompts">,
  prompts: Prompts,
): Promise<Result<OpenedSession, Failure>> {
  const opened = await openClient({ ...open, prompts, slashNames });
  return opened.ok ? ok({ client: opened.value.client, notices: opened.value.notices }) : opened;
}

export function follow(client: Client, listen: (event: Envelope, isPast: boolean) => void): () => void {
  for (const event of client.logged) listen(event, true);
  return client.on((event) => listen(event, false));
}

const shortPath = (path: string): string => {
  const user = homedir();
  return path === user || path.startsWith(`${user}${sep}`) ? `~${path.slice(user.length)}` : path;
};

export async function headerOf(client: Client, version: string): Promise<HeaderFacts> {
  const view = client.view();
  return {
    version,
    model: view.model,
    modelReason: view.modelReason,
    folder: shortPath(view.context.cwd),
    branch: view.context.branch,
    sessionId: view.sessionId,
    memory: await memoryFacts(client),
  };
}

/** One page of records is read for their number; more are said to be more. */
const MOST_COUNTED = 500;

/** What cannot be counted is left out: a header must not keep anybody from working. A service is not asked before the first prompt. */
async function memoryFacts(client: Client): Promise<MemoryFacts | undefined> {
  const status = await client.memorySection.status().catch(() => undefined);
  if (!status) return undefined;
  if (!status.enabled) return { isOn: false };
  const [sessions, records, { items, capacity }] = await Promise.all([
    home.sessions.list({ limit: 1000 }),
    status.strategy === "service"
      ? undefined
      : client.memory((memory) => memory.list({}, { status: "active" }, MOST_COUNTED)),
    client.consolidation.status(),
  ]);
  return {
    isOn: true,
    toReview: status.pending,
    ...(records?.ok ? { memories: records.value.records.length, hasMoreMemories: records.value.more } : {}),
    ...(items > 0 ? { board: { items, capacity } } : {}),
    ...(sessions.ok ? { sessions: sessions.value.length } : {}),
  };
}

/** Without any provider: what the built-in model can and cannot do, and what to set. */
export function offlineNotices({ model, modelReason }: ReturnType<Client["view"]>): string[] {
  if (model !== "offline" || !modelReason.includes("no provider")) return [];
  return [
    "The built-in model finds and quotes; it does not reason or write code.",
    "For a real model set OPENAI_API_KEY or ANTHROPIC_API_KEY, or use --base-url and --model.",
  ];
}
