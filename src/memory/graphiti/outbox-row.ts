// A message on its way to a Graphiti server, and every step that it can take.
import type { GroupScope } from "../graph/group.ts";

export type OutboxState =
  /** It has not left, for all we know. */
  | "queued"
  /** It may have arrived: its name is looked up before it is sent again. */
  | "sending"
  /** The server took it, and has not shown it yet. */
  | "accepted"
  | "confirmed"
  /** Refused, or tried too often: it waits for a person. */
  | "parked"
  /** It will not be sent; only a backfill takes it up again. */
  | "dropped";

export type OutboxStep =
  | "send"
  /** Nothing of the request arrived. */
  | "return"
  | "accept"
  | "see"
  | "give_up"
  /** The server lost what it had taken. */
  | "resend"
  | "retry"
  | "drop"
  /** A person took it back, and it is not on the server. */
  | "withdraw"
  /** Its words are forgotten here; what the server has can still be found by its name. */
  | "forget";

const steps: Readonly<Record<OutboxState, Partial<Record<OutboxStep, OutboxState>>>> = {
  queued: {
    send: "sending",
    see: "confirmed",
    give_up: "parked",
    drop: "dropped",
    withdraw: "dropped",
    forget: "dropped",
  },
  sending: {
    send: "sending",
    return: "queued",
    accept: "accepted",
    see: "confirmed",
    give_up: "parked",
    drop: "dropped",
    withdraw: "dropped",
    forget: "confirmed",
  },
  accepted: { see: "confirmed", resend: "queued", drop: "dropped", withdraw: "dropped", forget: "confirmed" },
  confirmed: { withdraw: "dropped", forget: "confirmed" },
  parked: { retry: "sending", see: "confirmed", drop: "dropped", withdraw: "dropped", forget: "dropped" },
  dropped: { retry: "queued" },
};

/** Undefined: the row cannot take this step. */
export const nextOutboxState = (state: OutboxState, step: OutboxStep): OutboxState | undefined => steps[state][step];

/** The states in which a row can take a step, with where it leads. */
export const outboxMoves = (step: OutboxStep): { from: OutboxState; to: OutboxState }[] =>
  (Object.keys(steps) as OutboxState[]).flatMap((from) => {
    const to = steps[from][step];
    return to === undefined ? [] : [{ from, to }];
  });

/** As Graphiti's `/messages` takes it. It has no `uuid`: the real server's worker ends over one that it does not know. */
export type GraphitiMessage = {
  content: string;
  name: string;
  role_type: "user" | "assistant" | "system";
  role: string;
  timestamp: string;
  source_description: string;
};

export type OutboxKind = "turn" | "promotion" | "ownership";

export type OutboxDraft = {
  group: string;
  scope: GroupScope;
  kind: OutboxKind;
  /** Messages of one unit live or go together: a turn's, or one promotion. */
  unit: string;
  session?: string;
  turn?: number;
  message: GraphitiMessage;
};

export type OutboxRow = OutboxDraft & {
  seq: number;
  endpoint: string;
  root: string;
  state: OutboxState;
  tries: number;
  error?: string;
  createdAt: string;
  sentAt?: string;
};
