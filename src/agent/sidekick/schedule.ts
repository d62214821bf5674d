// When sidekicks run: each event is weighed against each definition, runs are counted, limited, cancelled and told of.
import { within } from "../../base/abort.ts";
import { errorText } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { InboxDraft } from "../inbox/entry.ts";
import type { Coded } from "../task/contract.ts";
import { SidekickBudget, type SidekickTurn } from "./budget.ts";
import type { RunEnd, RunTask, ScheduleParts, Trigger } from "./contract.ts";
import { offBy, readsBoard, type SidekickDefinition } from "./definition.ts";
import { isTrivial, sharesWord } from "./relevant.ts";
import { type RunChange, type SidekickRun, type StartedRun, transition } from "./run.ts";
import { notVerbatim } from "./verbatim.ts";

type Live = {
  definition: SidekickDefinition;
  turn: SidekickTurn;
  run: StartedRun;
  abort: AbortController;
  fetched: string[];
  settled: Promise<void>;
};

const NEAR = 0.35;
/** How long a run that was told to stop may take to do so before it is left behind. */
const GRACE_MS = 2000;
const KEPT = 50;

export class Schedule {
  readonly #parts: ScheduleParts;
  readonly #budget: SidekickBudget;
  readonly #live = new Set<Live>();
  /** The newest trigger that waits, for each persistent one. */
  readonly #waiting = new Map<string, Trigger>();
  readonly #starts = new Map<string, number>();
  readonly #recent: SidekickRun[] = [];
  #turn: SidekickTurn = { id: "", request: "", spent: 0, sends: new Map() };
  #lastMs = 0;
  #isOver = false;

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
    this.#budget = new SidekickBudget(parts.spentBefore, () => parts.settings());
  }

  /** Newest last; those that run, ran and were skipped. */
  recent(): readonly SidekickRun[] {
    return [...this.#recent, ...[...this.#live].map(({ run }) => run)];
  }

  /** Resolves when every definition was weighed; runs go on by themselves. Never rejects. */
  async onEvent(trigger: Trigger): Promise<void> {
    const { definitions, settings } = this.#parts;
    if (this.#isOver || !settings().memory) return;
    const last = this.#turn.request;
    if (trigger.event === "user.message" && (trigger.source === "user" || trigger.source === "command")) {
      this.#turn = { id: trigger.messageId, request: trigger.text, spent: 0, sends: new Map() };
      for (const live of this.#live) if (live.definition.cancelOnNewTurn) this.#stop(live, "superseded");
    }
    const wanted = definitions.filter((d) => d.triggers.some(({ event }) => event === trigger.event));
    await Promise.all(wanted.map((definition) => this.#consider(definition, trigger, last)));
  }

  /** Those that run; nothing of them is stored any more. */
  cancel(reason: string): void {
    this.#waiting.clear();
    for (const live of this.#live) this.#stop(live, reason);
  }

  /** Nothing starts any more. Bounded. */
  async end(reason: string): Promise<void> {
    this.#isOver = true;
    this.cancel(reason);
    await this.settled();
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#live].map((live) => live.settled));
  }

  async #consider(definition: SidekickDefinition, trigger: Trigger, last: string): Promise<void> {
    const turn = this.#turn;
    const { name } = definition;
    let reason: string | undefined;
    try {
      reason = await this.#refusal(definition, trigger, last);
    } catch (error) {
      reason = "failed";
      this.#parts.publish("soft_failure", { part: `sidekick ${name}`, code: "failed", message: errorText(error) });
    }
    if (this.#isOver) return;
    reason ??= turn === this.#turn ? this.#budget.refusal(turn) : "superseded";
    if (reason !== undefined) {
      this.#remember({ state: "skipped", name, reason });
      this.#parts.publish("sidekick.skipped", { name, reason });
      return;
    }
    const isRunning = [...this.#live].some((live) => live.definition.name === name);
    if (definition.behaviour === "persistent" && isRunning) this.#waiting.set(name, trigger);
    else this.#start(definition, trigger, turn);
  }

  /** The first "no", in the order of the cheapest; undefined when it may start. */
  async #refusal(definition: SidekickDefinition, trigger: Trigger, last: string): Promise<string | undefined> {
    const { settings, conditions, boardItems, nearness } = this.#parts;
    const { name } = definition;
    const { request } = this.#turn;
    const off = offBy(definition, settings());
    if (off !== undefined) return off;
    const limit = definition.triggers.find(({ event }) => event === trigger.event);
    if (limit && "limit" in limit && (this.#starts.get(startKey(name, trigger)) ?? 0) >= (limit.limit ?? Infinity))
      return "trigger_limit";
    for (const condition of definition.conditions) if (!(await conditions[condition]())) return condition;
    const isPrompt = trigger.event === "user.message";
    if (isPrompt && definition.skipTrivial && isTrivial(trigger.text, trigger.source, last)) return "trivial";
    if (request === "") return "no_request";
    if (!readsBoard(definition) || sharesWord(request, await boardItems())) return undefined;
    return nearness && (await nearness(request)) >= NEAR ? undefined : "nothing_shared";
  }

  #start(definition: SidekickDefinition, trigger: Trigger, turn: SidekickTurn): void {
    const { name } = definition;
    const startedMs = this.#parts.nowMs();
    // Two of one millisecond are still two.
    this.#lastMs = Math.max(this.#lastMs + 1, startedMs);
    const agentId = `sidekick-${name}-${this.#lastMs}`;
    const key = startKey(name, trigger);
    this.#starts.set(key, (this.#starts.get(key) ?? 0) + 1);
    const live: Live = {
      definition,
      turn,
      run: { state: "running", name, agentId, startedMs, tokens: 0, sends: 0 },
      abort: new AbortController(),
      fetched: [],
      settled: Promise.resolve(),
    };
    this.#live.add(live);
    this.#parts.publish("sidekick.started", { name, agentId });
    live.settled = this.#carryOut(live);
  }

  async #carryOut(live: Live): Promise<void> {
    const { definition, abort } = live;
    const { run, publish, nowMs } = this.#parts;
    const late = setTimeout(() => {
      const message = `It took longer than ${definition.timeoutSeconds} s.`;
      this.#end(live, { type: "fail", code: "timeout", message, atMs: nowMs() });
    }, definition.timeoutSeconds * 1000).unref();
    const ran = Promise.resolve(this.#task(live))
      .then(run)
      .catch((error: unknown): RunEnd => ({ type: "failed", code: "failed", message: errorText(error) }));
    const ended = await untilStopped(ran, abort.signal);
    clearTimeout(late);
    this.#end(
      live,
      ended?.type === "failed" ? { ...ended, type: "fail", atMs: nowMs() } : { type: "done", atMs: nowMs() },
    );
    this.#live.delete(live);
    this.#remember(live.run);
    const { name, state, tokens, sends, agentId, startedMs } = live.run;
    const why = live.run.state === "failed" ? { code: live.run.code } : {};
    publish("sidekick.ended", { name, agentId, state, tokens, sends, durationMs: nowMs() - startedMs, ...why });
    if (live.run.state === "failed")
      publish("soft_failure", { part: `sidekick ${name}`, code: live.run.code, message: live.run.message });
    const next = this.#waiting.get(name);
    this.#waiting.delete(name);
    if (next && !this.#isOver) await this.#consider(definition, next, "");
  }

  #task(live: Live): RunTask {
    const { definition, abort, turn } = live;
    return {
      definition,
      agentId: live.run.agentId,
      request: turn.request,
      signal: abort.signal,
      send: (draft) => this.#send(live, draft),
      fetched: (content) => void live.fetched.push(content),
      spent: (tokens) => {
        live.run = transition(live.run, { type: "spent", tokens });
        this.#budget.spend(turn, tokens);
        if (this.#rest(live) < 0) this.#end(live, { type: "over_budget", atMs: this.#parts.nowMs() });
      },
      cap: () => {
        if (this.#rest(live) <= 0) this.#end(live, { type: "over_budget", atMs: this.#parts.nowMs() });
        return stopped(live.run);
      },
      run: () => live.run,
    };
  }

  #rest({ definition: { maxTokens = Number.POSITIVE_INFINITY }, run, turn }: Live): number {
    return Math.min(this.#budget.rest(turn), maxTokens - run.tokens);
  }

  async #send(live: Live, draft: InboxDraft): Promise<Result<string, Coded>> {
    const { definition, turn } = live;
    const { name, maxSendsPerTurn, inlineForwardMaxChars: inlineMax } = definition;
    const sends = turn.sends.get(name) ?? 0;
    const refusal = stopped(live.run) ?? (sends >= maxSendsPerTurn ? sendLimit(maxSendsPerTurn) : undefined);
    if (refusal) return fail(refusal);
    // Taken at once, so that two calls of one step cannot both have the last one.
    turn.sends.set(name, sends + 1);
    const sent = await this.#parts.deliver({
      sender: { senderId: live.run.agentId, senderName: name, senderType: "sidekick", interactionId: turn.id },
      draft,
      inlineMax,
      refuse: (content) =>
        stopped(live.run) ?? (readsBoard(definition) ? notVerbatim(content, live.fetched) : undefined),
    });
    if (sent.ok) live.run = transition(live.run, { type: "sent" });
    else turn.sends.set(name, (turn.sends.get(name) ?? 1) - 1);
    return sent.ok ? ok(sent.value.id) : sent;
  }

  #stop(live: Live, reason: string): void {
    this.#end(live, { type: "cancel", reason, atMs: this.#parts.nowMs() });
  }

  /** A run ends once; whoever carries it out is told. */
  #end(live: Live, change: RunChange): void {
    live.run = transition(live.run, change);
    live.abort.abort();
  }

  #remember(run: SidekickRun): void {
    this.#recent.push(run);
    if (this.#recent.length > KEPT) this.#recent.shift();
  }
}

const startKey = (name: string, { event }: Trigger): string => `${name} ${event}`;

/** Its end, or nothing when it was told to stop and does not. */
async function untilStopped(ran: Promise<RunEnd>, signal: AbortSignal): Promise<RunEnd | undefined> {
  const first = await within(ran, Number.POSITIVE_INFINITY, signal);
  if (first.type === "value") return first.value;
  const then = await within(ran, GRACE_MS);
  return then.type === "value" ? then.value : undefined;
}

function stopped(run: StartedRun): Coded | undefined {
  if (run.state === "running") return undefined;
  if (run.state === "over_budget")
    return { code: "over_budget", message: "The tokens for this turn are used up. Nothing was sent." };
  return { code: "cancelled", message: "This run was cancelled. Nothing was sent; stop now." };
}

const sendLimit = (most: number): Coded => ({
  code: "send_limit",
  message: `You may send ${most === 1 ? "one message" : `${most} messages`} a turn, and that is done. Nothing was sent; stop now.`,
});
