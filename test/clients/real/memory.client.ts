// What real clients get back of what they forgot: in the first cut, in the next session, and of what another client was told.
import { describe, expect, it } from "vitest";
import type { Recorded } from "../../model-server/recorded.ts";
import { type Client, clients, installed } from "./client.ts";
import { beside, expectBareSide, scriptShell, stageFor, talks } from "./stage.ts";

const FACT = "The staging port of the zebrafish service is 54871.";
const TOLD = `Please remember: ${FACT}`;
const QUESTION = "Which staging port does the zebrafish service have?";
const WINDOW = 48_000;
/** Of 14,000 characters each: more than that window holds. */
const ROUNDS = 14;

const present = clients.filter((client) => installed(client) !== undefined);
const nameOf = ({ name, variant }: Client): string => (variant ? `${name}, ${variant}` : name);
const log = (i: number): string => `seq 1 2500 | sed 's/^/line ${i} of the log /' | head -c 14000`;
const quotes = ({ rawBody }: Recorded): boolean => /<everlong_recall[\s\S]*54871/.test(rawBody);

/** Every key of it is another one. */
const otherKeys = ({ env }: Client): Record<string, string> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace("client", "other")]));

describe.each(present.map((client) => ({ client, title: nameOf(client) })))("$title", ({ client }) => {
  it("N24 N23 N26 what one session was told is known in the next, with another key and a prompt in quotes; side requests are left alone", async () => {
    const first = await stageFor(client);
    const { server } = first;
    scriptShell(server, client, []);
    const told = await first.with(client.first(TOLD));
    expect(told.code, told.stderr).toBe(0);
    const before = server.requests.length;
    const done = await beside(first, { env: otherKeys(client) }).with(client.first(`"${QUESTION}"`));
    expect(done.code, done.stderr).toBe(0);
    expect(server.requests.slice(before).some((request) => talks(client, request) && quotes(request))).toBe(true);
    expectBareSide(server, client);
  });

  it("N21 X57 a long session that the gateway has never seen gets what the prompt asks for in the first cut", async () => {
    const first = await stageFor(client);
    const { server } = first;
    scriptShell(server, client, [`echo '${FACT}'`, ...Array.from({ length: ROUNDS }, (_, i) => log(i + 1))]);
    const told = await first.with(client.first("Read the log, part by part."));
    expect(told.code, told.stderr).toBe(0);
    const before = server.requests.length;
    scriptShell(server, client, []);
    const env = { EVERLONG_PROXY_WINDOWS: `*: ${WINDOW}` };
    const done = await beside(first, { home: "another", env }).resume(QUESTION);
    expect(done.code, done.stderr).toBe(0);
    const cut = server.requests.slice(before).find((request) => talks(client, request));
    expect([cut?.rawBody.includes("line 2 of the log 100"), cut && quotes(cut)]).toEqual([false, true]);
  });
});

// Each is told by the one before it, so that every client teaches and learns.
describe.each(
  present.map((teacher, i) => {
    const learner = present[(i + 1) % present.length] ?? teacher;
    return { teacher, learner, title: `${nameOf(teacher)} is told, ${nameOf(learner)} knows` };
  }),
)("$title", ({ teacher, learner }) => {
  it("N24 memory is the person's: clients with different keys share it", async () => {
    const first = await stageFor(teacher);
    const { server } = first;
    scriptShell(server, teacher, []);
    const told = await first.with(teacher.first(TOLD));
    expect(told.code, told.stderr).toBe(0);
    const before = server.requests.length;
    scriptShell(server, learner, []);
    const done = await beside(first, { client: learner, env: otherKeys(learner) }).with(learner.first(QUESTION));
    expect(done.code, done.stderr).toBe(0);
    expect(server.requests.slice(before).some((request) => talks(learner, request) && quotes(request))).toBe(true);
  });
});
