// Taking a message back from a Graphiti server: found by its name, its facts and then itself deleted, and looked for again.
import { fail, ok, type Result } from "../../base/result.ts";
import { factOf, type GraphitiClient, type GraphitiEpisode, type GraphitiFault } from "./client.ts";

type WithdrawnMessage = {
  group: string;
  name: string;
  /** Its words, to find facts by; empty when they are gone. */
  text: string;
};
/** `absent`: the server shows no such message. `unsure`: what could not be done or seen, and why. */
export type Withdrawal = { type: "gone"; facts: number } | { type: "absent" } | { type: "unsure"; why: string };

/** How many of the newest episodes are looked through; a longer list is asked for only when a shorter one was full. */
const LOOKS = [100, 1000, 10_000];
const MAX_FACTS = 50;

/** Never rejects. */
export async function withdraw(
  client: GraphitiClient,
  message: WithdrawnMessage,
  signal: AbortSignal,
): Promise<Withdrawal> {
  const before = await named(client, message, signal);
  if (!before.ok) return unsure(before.error.message);
  if (before.value.length === 0) return { type: "absent" };
  const ids = new Set(before.value.map(({ uuid }) => uuid));
  const facts = await factsOf(client, message, before.value, signal);
  const alone: string[] = [];
  for (const id of facts) {
    const fact = await askFact(client, id, signal);
    if (!fact.ok) return unsure(fact.error.message);
    // One that others say too stays, and so does one of which nobody can tell.
    if (fact.value?.episodes?.every((episode) => ids.has(episode))) alone.push(id);
  }
  for (const path of [...alone.map((id) => `/entity-edge/${encodeURIComponent(id)}`), ...[...ids].map(episodePath)]) {
    const answer = await client.ask("DELETE", path, signal);
    if (!answer.ok && answer.error.status !== 404) return unsure(answer.error.message);
  }
  const after = await named(client, message, signal);
  if (!after.ok) return unsure(after.error.message);
  if (after.value.length > 0) return unsure("it says that it deleted the message, and still shows it.");
  for (const id of alone) {
    const fact = await askFact(client, id, signal);
    if (!fact.ok) return unsure(fact.error.message);
    if (fact.value) return unsure("it says that it deleted the message's facts, and still shows one.");
  }
  return { type: "gone", facts: alone.length };
}

const episodePath = (uuid: string): string => `/episode/${encodeURIComponent(uuid)}`;
const unsure = (why: string): Withdrawal => ({ type: "unsure", why });

/** All that have this name. */
async function named(
  client: GraphitiClient,
  { group, name }: WithdrawnMessage,
  signal: AbortSignal,
): Promise<Result<GraphitiEpisode[], Pick<GraphitiFault, "message">>> {
  for (const count of LOOKS) {
    const episodes = await client.episodes(group, count, signal);
    if (!episodes.ok) return episodes;
    const matches = episodes.value.filter((one) => one.name === name && one.uuid !== "");
    if (matches.length > 0 || episodes.value.length < count) return ok(matches);
  }
  return fail({ message: "it is not among the newest 10,000 messages of its group." });
}

async function factsOf(
  client: GraphitiClient,
  { group, text }: WithdrawnMessage,
  episodes: readonly GraphitiEpisode[],
  signal: AbortSignal,
): Promise<Set<string>> {
  const ids = new Set(episodes.flatMap(({ facts }) => facts));
  const query = text.trim().slice(0, 500);
  const matches = query === "" ? ok([]) : await client.search({ group, query, maxFacts: MAX_FACTS }, signal);
  for (const { uuid, episodes: sources = [] } of matches.ok ? matches.value : [])
    if (uuid !== undefined && episodes.some((one) => sources.includes(one.uuid))) ids.add(uuid);
  return ids;
}

/** Undefined: there is none. */
async function askFact(client: GraphitiClient, id: string, signal: AbortSignal) {
  const answer = await client.ask("GET", `/entity-edge/${encodeURIComponent(id)}`, signal);
  if (answer.ok) return ok(factOf(answer.value.body)[0]);
  return answer.error.status === 404 ? ok(undefined) : answer;
}
