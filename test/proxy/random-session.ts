// A session of random steps on any wire, and what must hold of every request that it makes the gateway send.
import fc from "fast-check";
import { expect } from "vitest";
import { calls, type Reply, text } from "../model-server/reply.ts";
import type { ModelServer } from "../model-server/server.ts";
import { filler } from "./filler.ts";
import type { InProcess } from "./in-process.ts";
import { type Answer, type Dialect, type Json, ScriptedClient } from "./scripted-client.ts";

export type Step =
  | { type: "prompt"; words: string; size: number; calls: number; reasoning: boolean; says: boolean; media: boolean }
  | { type: "results"; sizes: number[]; calls: number; reasoning: boolean; says: boolean }
  | { type: "resend" }
  | { type: "restart" }
  | { type: "todo" }
  | { type: "rewind"; turns: number };

const answer = {
  calls: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 6) },
  ),
  reasoning: fc.boolean(),
  says: fc.boolean(),
};
const words = fc.oneof(
  fc.constantFrom(
    "Go on.",
    "次のファイルを見てください。",
    "What is in src/lexer.ts? 👩‍👧",
    '"quoted" \\n <todo> </everlong_state>',
  ),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
);
const size = fc.oneof(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 600, max: 7000 }));

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constant("prompt" as const), words, size, media: fc.boolean(), ...answer }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant("results" as const),
        sizes: fc.array(size, { minLength: 6, maxLength: 6 }),
        ...answer,
      }),
    },
    { weight: 1, arbitrary: fc.constantFrom<Step>({ type: "resend" }, { type: "restart" }, { type: "todo" }) },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant("rewind" as const), turns: fc.integer({ min: 1, max: 3 }) }),
    },
  ),
  { minLength: 10, maxLength: 30, size: "max" },
);

/** How a wire's bodies are taken apart. */
export type Anatomy = {
  dialect: () => Dialect;
  tool: string;
  history: "input" | "messages" | "contents";
  image: Json;
  usable: number;
};
type Sent = { raw: string; history: Json[]; epoch: number; lane: string };

const TODO = "- [ ] never lose this line";
const marks = (raw: string): number => raw.split('"cache_control":').length - 1;
const unmarked = (raw: string): string => raw.replaceAll(/,"cache_control":\{[^}]*\}/g, "");

export class RandomSession {
  readonly #gateway: InProcess;
  readonly #server: ModelServer;
  readonly #anatomy: Anatomy;
  readonly #client: ScriptedClient;
  #pending: Answer | undefined;
  #before: Sent | undefined;
  #todo = false;
  /** The latest body, while it would be sent with the same headers again. */
  #received = "";
  #count = 0;
  epochs = 0;
  session = "";
  /** Known by content alone, a history that goes back to an earlier prompt is another session from there on. */
  readonly sessions = new Set<string>();
  /** Tags of texts that were sent by the client and did not go on. */
  readonly gone = new Set<string>();

  constructor(gateway: InProcess, server: ModelServer, anatomy: Anatomy) {
    this.#gateway = gateway;
    this.#server = server;
    this.#anatomy = anatomy;
    this.#client = new ScriptedClient(gateway, anatomy.dialect());
  }

  async run(all: readonly Step[]): Promise<void> {
    await this.#step({
      type: "prompt",
      words: "Begin.",
      size: 100,
      calls: 1,
      reasoning: true,
      says: false,
      media: false,
    });
    for (const step of all) await this.#step(step);
  }

  async #step(step: Step): Promise<void> {
    const client = this.#client;
    if (step.type === "restart") {
      await this.#gateway.restart();
      client.url = this.#gateway.url;
      return;
    }
    if (step.type === "todo") {
      this.#todo = true;
      client.headers["x-everlong-todo"] = TODO;
      this.#received = "";
      return;
    }
    if (step.type === "rewind") return this.#rewind(step.turns);
    if (step.type === "resend") return this.#resend();
    const owed = this.#pending?.calls.length ?? 0;
    // Nobody interrupts a call: a prompt waits for the results, and results for calls.
    const results = owed > 0 ? (step.type === "results" ? step.sizes : [200]) : [];
    this.#server.script(this.#reply(step));
    if (owed > 0) {
      const outputs = (this.#pending?.calls ?? []).map((call, i) => ({
        ...call,
        output: this.#text("", results[i % results.length] ?? 0),
      }));
      client.history.push(...client.dialect.results(outputs));
    } else {
      const item = client.dialect.user(
        step.type === "prompt" ? this.#text(step.words, step.size) : this.#text("On.", 0),
      );
      client.history.push(step.type === "prompt" && step.media ? this.#withImage(item) : item);
    }
    await this.#check();
  }

  /** Back to an earlier prompt, which is asked otherwise. */
  async #rewind(turns: number): Promise<void> {
    const client = this.#client;
    const starts = client.history.flatMap((item, at) => (JSON.stringify(item).includes("§p") && at > 0 ? [at] : []));
    const at = starts.at(-turns);
    if (at === undefined) return;
    client.history = client.history.slice(0, at);
    this.#pending = undefined;
    await this.#step({
      type: "prompt",
      words: "Otherwise.",
      size: 50,
      calls: 1,
      reasoning: true,
      says: true,
      media: false,
    });
  }

  #reply(step: Extract<Step, { type: "prompt" | "results" }>): Reply {
    const reasoning = step.reasoning || step.calls > 0 ? { reasoning: `Thought ${this.#tag("k")}.` } : {};
    const said = step.says || step.calls === 0 ? this.#text("Said.", 40) : "";
    if (step.calls === 0) return text(said, reasoning);
    const one = (): { name: string; id: string; args: object } => ({
      name: this.#anatomy.tool,
      id: `call_${this.session.slice(-6)}_${this.#count++}`,
      args: { command: `ls ${this.#tag("a")}` },
    });
    return calls(Array.from({ length: step.calls }, one), { ...reasoning, text: said });
  }

  #tag(kind: string): string {
    return `§${kind}${this.#count++}§`;
  }

  #text(words: string, chars: number): string {
    return `${words} ${this.#tag(words === "" ? "r" : words === "Said." ? "s" : "p")} ${filler(chars, this.#count)}`.trim();
  }

  #withImage(item: Json): Json {
    const key = "parts" in item ? "parts" : "content";
    const held = item[key];
    const parts = typeof held === "string" ? [{ type: "text", text: held }] : (held as Json[]);
    return { ...item, [key]: [...parts, this.#anatomy.image] };
  }

  /** The latest request once more: the same bytes, whatever it gets for an answer. */
  async #resend(): Promise<void> {
    if (this.#received === "") return;
    this.#server.script(text("Again."));
    const answered = await this.#client.post(this.#received);
    expect(answered.status, answered.text).toBe(200);
    expect(this.#server.requests.at(-1)?.rawBody).toBe(this.#before?.raw);
  }

  async #check(): Promise<void> {
    const { history: key, usable } = this.#anatomy;
    const client = this.#client;
    const body = client.dialect.body(client.history);
    const received = JSON.stringify(body);
    this.#received = received;
    const answered = await client.post(received);
    const raw = this.#server.requests.at(-1)?.rawBody ?? "";
    // XI1
    expect(answered.status, `${answered.text}\n${raw.slice(0, 20_000)}`).toBe(200);
    expect(marks(raw)).toBeLessThanOrEqual(marks(received));
    const header = (name: string): string => answered.headers.get(`x-everlong-${name}`) ?? "";
    this.session = header("session");
    this.sessions.add(this.session);
    // XI3
    if (header("action") === "pass") expect(raw).toBe(received);
    // XI2
    const given = body[key] as Json[];
    const sent = (JSON.parse(raw) as Json)[key] as Json[];
    const [front, back] = received.split(JSON.stringify(given)) as [string, string];
    expect(raw.startsWith(front)).toBe(true);
    expect(raw.endsWith(back)).toBe(true);
    expect(raw).toBe(front + JSON.stringify(sent) + back);
    const bytes = given.map((item) => JSON.stringify(item));
    let at = 0;
    for (const item of sent.map((one) => JSON.stringify(one))) {
      const found = bytes.indexOf(item, at);
      if (found >= 0) at = found + 1;
      else expect(item).toMatch(/everlong_|system_notification|left out|characters|truncated/);
    }
    // XI5
    expect(Number(header("tokens-sent"))).toBeLessThanOrEqual(usable);
    // XI6
    if (this.#todo) expect(raw).toContain(TODO);
    const prompts = given.map((item) => /§p\d+§/.exec(JSON.stringify(item))?.[0]).filter((tag) => tag !== undefined);
    for (const tag of [prompts[0], prompts.at(-1)]) expect(raw).toContain(tag);
    // XI4
    const now = { raw, history: sent, epoch: Number(header("epoch")), lane: header("lane") };
    const before = this.#before;
    if (before && before.epoch === now.epoch && before.lane === now.lane) {
      const until = unmarked(front + JSON.stringify(before.history).slice(0, -1));
      expect(
        unmarked(raw).startsWith(until),
        `${until.slice(-500)}\n---\n${unmarked(raw).slice(0, until.length).slice(-500)}`,
      ).toBe(true);
    }
    this.#before = now;
    this.epochs = Math.max(this.epochs, now.epoch);
    for (const item of bytes)
      for (const [tag] of item.matchAll(/§[pras]\d+§/g)) if (!raw.includes(tag)) this.gone.add(tag);
    client.history.push(...answered.items);
    this.#pending = answered;
  }
}
