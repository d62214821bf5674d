// A fleet from start to end: plan, dispatch, verify, and again while the check adds work.

import type { EventData } from "../../schema/event/envelope.ts";
import type { TurnEnd } from "../../session/turn-input.ts";
import { type DispatchParts, dispatch, othersWork, reconcile } from "./dispatch.ts";
import { planAgainPrompt, planPrompt, verifyPrompt } from "./prompt.ts";
import { heldUp, openTodos, readyTodos } from "./ready.ts";
import { latestRun } from "./todo-book.ts";

const MAX_ROUNDS = 3;
const PLAN_TRIES = 2;

export type FleetParts = DispatchParts & {
  /** Runs one turn of the main agent. Display: what people see in place of the prompt. */
  turn: (prompt: string, display: string) => Promise<TurnEnd>;
  planText: () => string;
  emit: <T extends "session.fleet_started" | "session.fleet_completed">(
    type: T,
    data: EventData<T>,
  ) => Promise<unknown>;
};

type FleetOptions = {
  prompt?: string;
  /** A fleet of this chain that never came to its end: its request, and its todos, are gone on with. */
  unfinished?: { prompt?: string };
  signal: AbortSignal;
};

type FleetReason = "cancelled" | "no_todos" | "turn_failed" | "max_rounds";
type OpenTodo = { id: string; title: string; status: string; why?: string };
export type FleetEnd = EventData<"session.fleet_completed"> & {
  reason?: FleetReason;
  /** Why, for people. */
  message?: string;
  /** Empty only when everything is done. */
  open: OpenTodo[];
};

type Ended = { rounds: number; reason?: FleetReason; message?: string };

export async function runFleet(parts: FleetParts, options: FleetOptions): Promise<FleetEnd> {
  const request = options.prompt ?? options.unfinished?.prompt;
  await parts.emit("session.fleet_started", request === undefined ? {} : { prompt: request });
  await reconcile(parts);
  const ended = (await plan(parts, options, request)) ?? (await rounds(parts, options.signal, request ?? ""));
  const { message, ...kept } = ended;
  const open = openOf(parts);
  const counted = {
    done: parts.book.todos().todos.filter((t) => t.status === "done").length,
    blocked: open.filter((t) => t.status === "blocked").length,
    notRun: open.filter((t) => t.status !== "blocked").length,
    ...kept,
  };
  await parts.emit("session.fleet_completed", counted);
  return { ...counted, ...(message === undefined ? {} : { message }), open };
}

/** Undefined when there is something to do, or something to check. */
async function plan(parts: FleetParts, options: FleetOptions, request: string | undefined): Promise<Ended | undefined> {
  const { signal, unfinished } = options;
  const has = () => openTodos(parts.book.todos()).length > 0;
  if (has() || (unfinished && options.prompt === undefined && parts.book.todos().todos.length > 0)) return undefined;
  for (let tries = 0; tries < PLAN_TRIES; tries++) {
    const prompt = tries === 0 ? planPrompt(request ?? parts.planText()) : planAgainPrompt();
    const end = await parts.turn(prompt, "fleet: plan");
    const stop = stopped(end, signal, 0);
    if (stop) return stop;
    if (has()) return undefined;
  }
  const message = "The agent wrote no todos, so the fleet has nothing to do. Say more about the job: /fleet PROMPT.";
  return { rounds: 0, reason: "no_todos", message };
}

async function rounds(parts: FleetParts, signal: AbortSignal, request: string): Promise<Ended> {
  for (let round = 1; ; round++) {
    await dispatch(parts, signal);
    if (signal.aborted) return { rounds: round, reason: "cancelled" };
    const { book } = parts;
    const prompt = verifyPrompt(book.todos(), book.runs(), { round, rounds: MAX_ROUNDS, request });
    const stop = stopped(await parts.turn(prompt, `fleet: check the results (round ${round})`), signal, round);
    if (stop) return stop;
    await reconcile(parts);
    if (readyTodos(book.todos()).length === 0 && !othersWork(parts)) return { rounds: round };
    if (round === MAX_ROUNDS)
      return { rounds: round, reason: "max_rounds", message: `There was more to do after ${MAX_ROUNDS} rounds.` };
  }
}

function stopped(end: TurnEnd, signal: AbortSignal, rounds: number): Ended | undefined {
  if (signal.aborted || end.status === "aborted") return { rounds, reason: "cancelled" };
  if (end.status === "done") return undefined;
  return { rounds, reason: "turn_failed", message: end.reason ?? `The turn ended: ${end.status}.` };
}

function openOf({ book }: FleetParts): OpenTodo[] {
  const all = book.todos();
  const waiting = heldUp(all);
  const runs = book.runs();
  return all.todos.flatMap(({ id, title, status }) => {
    if (status === "done") return [];
    const blockers = waiting.get(id);
    const note = latestRun(runs, id)?.note?.split("\n", 1)[0];
    const why = blockers ? `depends on ${blockers.join(", ")}, which is blocked` : note;
    return [{ id, title, status, ...(why ? { why } : {}) }];
  });
}
