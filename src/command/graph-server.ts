// `everlong graph queue|status|backfill|test`: what waits to be read or sent, and the Graphiti server beyond.
import { commandUsage } from "../base/failure.ts";
import { fail } from "../base/result.ts";
import type {
  BackfillChoice,
  BackfillProgress,
  BackfillReport,
  Episode,
  GraphitiStatus,
  GraphStatus,
  OutboxRow,
} from "../runtime/client/graph.ts";
import { home } from "../runtime/client.ts";
import { type Command, type CommandCall, describe } from "./contract.ts";
import { counted } from "./format.ts";

const queue: Command = {
  name: "queue",
  summary: "list messages that are waiting or failed; retry or drop them",
  arguments: "[verb] [id...]",
  usage: "[list|retry|drop] [ID...]",
  json: "lines",
  run: async ({ args: [verb = "list", ...ids] }: CommandCall, { on }) => {
    if (verb === "list")
      return describe(await on.graph((graph) => graph.queue()), ({ episodes, outbox }) => ({
        data: [...episodes, ...outbox],
        text: [...episodes.map(episodeLine), ...outbox.map(outboxLine)].join("\n") || "The queue is empty.",
      }));
    if (verb !== "retry" && verb !== "drop")
      return fail(commandUsage(`There is no "${verb}" here.`, "Use list, retry or drop."));
    const names = ids.filter((id) => id !== undefined);
    return describe(
      await on.graph((graph) => graph.requeue(names, verb === "retry" ? "queued" : "done")),
      (count) => `${verb === "retry" ? "Trying again" : "Dropped"}: ${counted(count, "episode")}.`,
    );
  },
};

/** `g12  parked  everlong.turn.1a2b.user  (HTTP 422: …)`. */
const outboxLine = ({ seq, state, message, error }: OutboxRow): string =>
  `g${seq}  ${state}  ${message.name}${error === undefined ? "" : `  (${error})`}`;

/** What a person can do about a state. */
const next: Partial<Record<GraphitiStatus["state"], (endpoint: string) => string>> = {
  no_endpoint: () => " To set one: everlong settings set memory.graphiti.endpoint URL.",
  untrusted: () => " To trust this folder: everlong trust.",
  no_consent: () => " To answer the question: everlong consent ask.",
  declined: (endpoint) => ` You said no here; to change your mind: everlong consent grant ${endpoint}`,
  stalled: () => " It accepts messages but stores none: restart it.",
};

const graphitiLine = ({ state, endpoint, error, waiting, unconfirmed, parked }: GraphitiStatus): string =>
  [
    `Graphiti server: ${state}${endpoint === undefined ? "" : ` (${endpoint})`}.${next[state]?.(endpoint ?? "URL") ?? ""}`,
    ...(error === undefined ? [] : [`Last error: ${error}`]),
    ...(endpoint === undefined
      ? []
      : [`Messages: ${waiting} waiting, ${unconfirmed} not confirmed yet, ${parked} set aside.`]),
  ].join(" ");

const modelLine = ({ calls, tokens, dropped, ignored, fallbacks }: GraphStatus["model"]): string =>
  `Model: ${counted(calls, "call")}, ${counted(tokens, "token")}; ${counted(dropped, "fact")} dropped, ${counted(ignored, "ending")} ignored, ${fallbacks} times the rules took over.`;

const status: Command = {
  name: "status",
  summary: "show how many facts are stored and what is waiting",
  json: "value",
  run: async (_call: CommandCall, { on }) =>
    describe(await on.graph((graph) => graph.status()), (data) => ({
      data,
      text: [
        data.enabled ? `Facts are extracted by: ${data.extractor}.` : "The graph is off; what it knew stays stored.",
        `${counted(data.facts, "fact")} (${data.ended} ended) about ${counted(data.entities, "name")} in ${counted(data.groups, "group")}.`,
        `Episodes: ${data.episodes.done} read, ${data.episodes.queued + data.episodes.running} waiting, ${data.episodes.parked} failed.`,
        graphitiLine(data.graphiti),

        ...(data.model.calls > 0 ? [modelLine(data.model)] : []),
      ].join("\n"),
    })),
};

const backfill: Command = {
  name: "backfill",
  summary: "bring earlier sessions of this folder to the Graphiti server, or into the graph when none is set",
  options: [
    { flags: "--session <id>", help: "only this session" },
    { flags: "--since <time>", help: "only turns from this date or time on" },
    { flags: "--dry-run", help: "only count them" },
  ],
  json: "value",
  async run({ options }: CommandCall<BackfillChoice>, { on, person }) {
    const show = ({ session, sessions, turns }: BackfillProgress) =>
      person.progress?.(`${counted(turns, "turn")}, session ${session} of ${sessions}. Ctrl+C stops; what went stays.`);
    const outcome = await on.graph((graph) => graph.backfill(options, show));
    person.progress?.("");
    return describe(outcome, (report) => ({
      data: report,
      text: backfillText(report, options.dryRun ?? false),
      ...(report.isCancelled ? { exit: 130 as const } : report.stopped === undefined ? {} : { exit: 1 as const }),
    }));
  },
};

function backfillText(report: BackfillReport, isDry: boolean): string {
  const { endpoint, sessions, turns, messages, stopped, isCancelled } = report;
  const where = endpoint ?? "the graph";
  if (turns === 0 && stopped === undefined && !isCancelled) return `${where} has everything of this folder already.`;
  const amount = `${counted(turns, "turn")} of ${counted(sessions, "session")} (${counted(messages, "message")})`;
  if (isDry) return `${amount} would go to ${where}.`;
  const rest = isCancelled ? "Stopped. " : stopped === undefined ? "" : `${stopped} `;
  return `${amount} went to ${where}.${rest === "" ? "" : `\n${rest}Run everlong graph backfill again to go on; nothing is sent twice.`}`;
}

const test: Command = {
  name: "test",
  summary: "check that the Graphiti server answers; with --smoke, that it stores and deletes",
  options: [
    { flags: "--smoke", help: "store a test message and delete it again" },
    { flags: "--endpoint <url>", help: "use this server instead of the one in the settings" },
    { flags: "--wait <seconds>", help: "how long to wait for the message", kind: "count" },
  ],
  json: "value",
  run: async ({ options }: CommandCall<{ smoke?: boolean; endpoint?: string; wait?: number }>) =>
    describe(await home.testGraphiti(options), (data) => ({
      data,
      text: data.steps.map(({ outcome, step, ms, detail }) => `${outcome}  ${step}  ${ms} ms  ${detail}`).join("\n"),
      ...(data.isGood ? {} : { exit: 1 as const }),
    })),
};

const episodeLine = ({ uuid, state, text, error }: Episode): string =>
  `${uuid.slice(0, 8)}  ${state}  ${text.slice(0, 60).replace(/\s+/g, " ")}${error === undefined ? "" : `  (${error})`}`;

/** Those of `graph`. */
export const serverVerbs: readonly Command[] = [queue, status, backfill, test];
