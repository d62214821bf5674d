// What the graph's benchmark sends: messages of a chat, and questions.
import type { Part } from "../proxy-load.ts";

export type Posting = { ms: number[]; wall: number };
type Message = { content: string; role_type: string; role: string; name: string; timestamp: string };

let count = 0;
export const message = (content: string): Message => ({
  content,
  role_type: "user",
  role: "Ann",
  name: `m${count++}`,
  timestamp: new Date(Date.UTC(2026, 0, 1) + count * 1000).toISOString(),
});

const THINGS = "billing,search,staging,harbour,payment,import,export,gateway,report,mail".split(",");
const TOOLS = "Redis,Kafka,Postgres,Nginx,Vite,Docker,Jest,Terraform,Grafana,SQLite".split(",");
const at = (list: readonly string[], n: number): string => list[n % list.length] ?? "";

/** A chat message of about 250 characters with two facts in it. */
export const chat = (n: number): string =>
  `Thanks, that worked on the second try, and the tests are green again on my side. The ${at(THINGS, n)}${n % 97} service depends on ${at(TOOLS, n >> 3)}. ` +
  `I looked at the logs for a while before I saw it. The ${at(THINGS, n >> 2)}${n % 89} port is now ${4000 + (n % 5000)}.`;

async function request({ pool }: Part, path: string, body: unknown): Promise<{ ms: number; body: unknown }> {
  const text = JSON.stringify(body);
  const from = performance.now();
  const headers = { "content-type": "application/json" };
  const answer = await pool.request({ path: `/graphiti${path}`, method: "POST", headers, body: text });
  const reply = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${reply}`);
  return { ms: performance.now() - from, body: JSON.parse(reply) };
}

export const send = async (part: Part, group: string, messages: readonly Message[]): Promise<number> =>
  (await request(part, "/messages", { group_id: group, messages })).ms;

export async function query(
  part: Part,
  groups: readonly string[],
  text: string,
): Promise<{ ms: number; facts: unknown[] }> {
  const { ms, body } = await request(part, "/search", { group_ids: groups, query: text, max_facts: 10 });
  return { ms, ...(body as { facts: unknown[] }) };
}

export async function postAll(
  part: Part,
  { writers, each, pauseMs = 0 }: { writers: number; each: number; pauseMs?: number },
): Promise<Posting> {
  const ms: number[] = [];
  const writer = async (who: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, (who * pauseMs) / writers));
    for (let i = 0; i < each; i++) {
      const text = chat(count);
      const took = await send(part, `g${who % 8}`, [message(text)]);
      ms.push(took);
      if (pauseMs > took) await new Promise((resolve) => setTimeout(resolve, pauseMs - took));
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: writers }, (_, who) => writer(who)));
  return { ms, wall: performance.now() - from };
}
