// Work that the session itself drives: research with its limits, autopilot's continuations, a fleet over the todos.

import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { autopilotFacts, decide } from "../../agent/autopilot/decide.ts";
import { afterTurn } from "../../agent/research/after-turn.ts";
import { beginResearch } from "../../agent/research/begin.ts";
import { RESEARCH_TOOLS, refuse } from "../../agent/research/refuse.ts";
import { researchRun } from "../../agent/research/run.ts";
import type { Failure } from "../../base/failure.ts";
import { newId } from "../../base/id.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { ToolParts } from "../../session/parts.ts";
import { submit } from "../../session/run.ts";
import type { Session } from "../../session/session.ts";
import { setMode } from "../../session/set-mode.ts";
import type { TurnInput } from "../../session/turn-input.ts";
import type { Tool } from "../../tool/contract.ts";
import { FleetRun, type FleetServices } from "./fleet.ts";

const research: ReadonlySet<string> = new Set(RESEARCH_TOOLS);

export class Workflows {
  readonly fleet: FleetRun;
  readonly #services: FleetServices;

  constructor(services: FleetServices) {
    this.#services = services;
    this.fleet = new FleetRun(services);
  }

  /** A fleet drives the main agent itself. */
  isBusy(): boolean {
    return this.fleet.isRunning();
  }

  offers(tool: Tool): boolean {
    return this.#services.main.state.mode !== "research" || research.has(tool.name);
  }

  refuse(name: string, input: unknown): ReturnType<NonNullable<ToolParts["refuse"]>> {
    const { state, dir } = this.#services.main;
    if (state.mode !== "research") return undefined;
    const run = researchRun(state.chain);
    return run?.open ? refuse(name, input, run, { cwd: state.context.cwd, sessionDir: dir }) : undefined;
  }

  /** Nothing waits and nothing runs: is there a reason to go on? */
  async next(): Promise<TurnInput | undefined> {
    return this.#services.main.state.mode === "research" ? this.#afterResearch() : this.#autopilot();
  }

  async startResearch(session: Session, topic: string): Promise<Result<string, Failure>> {
    if (this.#services.stopping.signal.aborted) return ok("");
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
    const { main } = this.#services;
    const run = researchRun(main.state.chain);
    const { last } = main.live.turn;
    if (!run?.open || !last) return undefined;
    const after = afterTurn(run, last);
    if (after.type === "remind")
      return { messageId: newId(), content: after.prompt, source: "notification", hidden: true };
    await setMode(main, run.previousMode);
    if (after.type === "done")
      await main.emit("session.info", { infoType: "research_report", message: `Report: ${after.path}` });
    else
      await main.emit("session.error", {
        errorType: "research_failed",
        code: "research_failed",
        message: after.reason,
      });
    return undefined;
  }

  async #autopilot(): Promise<TurnInput | undefined> {
    const { main, workspace } = this.#services;
    const { chain, mode } = main.state;
    const decision = decide(autopilotFacts(chain, mode), mode, workspace.settings.values["autopilot.maxContinuations"]);
    if (decision.type === "continue")
      return { messageId: newId(), content: decision.prompt, source: "autopilot", hidden: true };
    if (decision.type === "stop") {
      const { reason, continuations } = decision;
      await main.emit("session.autopilot_stopped", { reason, continuations });
    }
    return undefined;
  }

  /** The model has declared the task complete, and nobody has asked for more. */
  isComplete(): boolean {
    const { mode, chain } = this.#services.main.state;
    return mode === "autopilot" && autopilotFacts(chain, mode).complete !== undefined;
  }

  /** A person has stopped what was going on: it does not go on by itself. */
  async stopAutopilot(): Promise<void> {
    const { state, emit } = this.#services.main;
    const { chain, mode } = state;
    if (mode !== "autopilot") return;
    const facts = autopilotFacts(chain, mode);
    const decision = decide(facts, mode, Number.POSITIVE_INFINITY);
    if (decision.type === "nothing" || (decision.type === "stop" && decision.reason !== "aborted")) return;
    const { continuations } = facts;
    await emit("session.autopilot_stopped", { reason: "aborted", continuations });
  }

  /** Why a workflow of several agents cannot begin now: one drives the main agent already, or the model that is built in would. */
  refusal(command: "/research" | "/fleet"): Failure | undefined {
    const { main, model } = this.#services;
    // A research that was cut off can be taken up again; for anything else its limits still hold.
    const isOpen = main.state.mode === "research" && (command === "/fleet" || main.live.loop.driving !== undefined);
    if (isOpen) return isBusyWith("A research run", command);
    if (command === "/research" && this.fleet.isRunning()) return isBusyWith("A fleet", command);
    if (model.target.provider !== "offline") return undefined;
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
  what: `${what} is using the main agent, and ${command} needs it too.`,
  data: "Nothing was started; the current run continues.",
  next: "Wait until it ends, or interrupt it. To continue an interrupted research: /research TOPIC",
  exit: 1,
});

const noTopic: Failure = {
  code: "command_usage",
  what: "/research needs a topic.",
  data: "Nothing was started.",
  next: "Usage: /research TOPIC, for example /research how this repository handles retries",
  exit: 2,
};
