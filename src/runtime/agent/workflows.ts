// Work that the session itself drives: research with its limits, autopilot's continuations, a fleet over the todos.
import type { SessionParts } from "../../session/parts.ts";
import type { TurnInput } from "../../session/turn-input.ts";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { autopilotFacts, decide } from "../../agent/autopilot/decide.ts";
import { afterTurn } from "../../agent/research/after-turn.ts";
import { beginResearch } from "../../agent/research/begin.ts";
import { RESEARCH_TOOLS, refuse } from "../../agent/research/refuse.ts";
import { researchRun } from "../../agent/research/run.ts";
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { submit } from "../../session/run.ts";
import type { Tool } from "../../tool/contract.ts";
import type { LiveSession } from "../session/live-session.ts";
import type { Agents } from "./agents.ts";
import { FleetRun } from "./fleet.ts";

const research: ReadonlySet<string> = new Set(RESEARCH_TOOLS);

export class Workflows {
  readonly fleet: FleetRun;
  readonly #live: LiveSession;

  constructor(live: LiveSession, agents: Agents) {
    this.#live = live;
    this.fleet = new FleetRun(live, agents);
  }

  /** A fleet drives the main agent itself. */
  isBusy(): boolean {
    return this.fleet.isRunning();
  }

  offers(tool: Tool): boolean {
    return this.#live.session.state.mode !== "research" || research.has(tool.name);
  }

  refuse(name: string, input: unknown): ReturnType<NonNullable<SessionParts["refuse"]>> {
    const { session } = this.#live;
    const { state } = session;
    if (state.mode !== "research") return undefined;
    const run = researchRun(state.chain);
    return run?.open ? refuse(name, input, run, { cwd: state.context.cwd, sessionDir: session.dir }) : undefined;
  }

  /** Nothing waits and nothing runs: is there a reason to go on? */
  async next(): Promise<TurnInput | undefined> {
    const { session } = this.#live;
    return session.state.mode === "research" ? this.#afterResearch() : this.#autopilot();
  }

  async startResearch(topic: string): Promise<Result<string, Failure>> {
    const { session } = this.#live;
    if (this.#live.stopping.signal.aborted) return ok("");
    const refusal = this.refusal("/research") ?? (topic.trim() === "" ? noTopic : undefined);
    if (refusal) return fail(refusal);
    const folder = join(session.dir, "research");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const begun = beginResearch(topic, session.dir, researchRun(session.state.chain), readdirSync(folder));
    const previousMode = session.state.mode;
    await session.emit("session.mode_changed", { previousMode, newMode: "research", research: begun.research });
    await submit(session, { content: begun.prompt, display: `/research ${topic}`, source: "command" });
    return ok(`Researching; the report will be ${begun.research.path}`);
  }

  async #afterResearch(): Promise<TurnInput | undefined> {
    const { session } = this.#live;
    const run = researchRun(session.state.chain);
    const last = session.live.turn.last;
    if (!run?.open || !last) return undefined;
    const after = afterTurn(run, last);
    if (after.type === "remind")
      return { messageId: session.parts.system.newId(), content: after.prompt, source: "notification", hidden: true };
    await this.#live.setMode(run.previousMode);
    if (after.type === "done")
      await session.emit("session.info", { infoType: "research_report", message: `Report: ${after.path}` });
    else
      await session.emit("session.error", {
        errorType: "research_failed",
        code: "research_failed",
        message: after.reason,
      });
    return undefined;
  }

  async #autopilot(): Promise<TurnInput | undefined> {
    const { session, workspace } = this.#live;
    const { chain, mode } = session.state;
    const decision = decide(autopilotFacts(chain, mode), mode, workspace.settings.values["autopilot.maxContinuations"]);
    if (decision.type === "continue")
      return { messageId: session.parts.system.newId(), content: decision.prompt, source: "autopilot", hidden: true };
    if (decision.type === "stop") {
      const { reason, continuations } = decision;
      await session.emit("session.autopilot_stopped", { reason, continuations });
    }
    return undefined;
  }

  /** The model has declared the task complete, and nobody has asked for more. */
  isComplete(): boolean {
    const { mode, chain } = this.#live.session.state;
    return mode === "autopilot" && autopilotFacts(chain, mode).complete !== undefined;
  }

  /** A person has stopped what was going on: it does not go on by itself. */
  async stopAutopilot(): Promise<void> {
    const { session } = this.#live;
    const { chain, mode } = session.state;
    if (mode !== "autopilot") return;
    const facts = autopilotFacts(chain, mode);
    const decision = decide(facts, mode, Number.POSITIVE_INFINITY);
    if (decision.type === "nothing" || (decision.type === "stop" && decision.reason !== "aborted")) return;
    const { continuations } = facts;
    await session.emit("session.autopilot_stopped", { reason: "aborted", continuations });
  }

  /** Why a workflow of several agents cannot begin now: one drives the main agent already, or the model that is built in would. */
  refusal(command: "/research" | "/fleet"): Failure | undefined {
    const { session, target } = this.#live;
    // A research that was cut off can be taken up again; for anything else its limits still hold.
    const isOpen = session.state.mode === "research" && (command === "/fleet" || session.live.loop.driving !== undefined);
    if (isOpen) return isBusyWith("A research", command);
    if (command === "/research" && this.fleet.isRunning()) return isBusyWith("A fleet", command);
    if (target.provider !== "offline") return undefined;
    return {
      code: "model_needed",
      what: `${command} needs a model provider, and the offline model is in use.`,
      data: "Nothing was started.",
      next: "Set OPENAI_API_KEY or ANTHROPIC_API_KEY, or use --base-url and --model.",
      exit: 1,
    };
  }

  async end(): Promise<void> {
    await this.fleet.cancel();
  }
}

const isBusyWith = (what: string, command: string): Failure => ({
  code: "already_running",
  what: `${what} is running in this session, and ${command} needs the main agent for itself.`,
  data: "Nothing was started, and what runs goes on.",
  next: "Wait for its end, or interrupt it; a research that was cut off goes on with /research TOPIC.",
  exit: 1,
});

const noTopic: Failure = {
  code: "command_usage",
  what: "/research needs a topic.",
  data: "Nothing was started.",
  next: "Usage: /research TOPIC, for example /research how this repository handles retries",
  exit: 2,
};
