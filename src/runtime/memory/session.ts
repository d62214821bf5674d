// Records inside an open session: loaded for the prompt, offered as tools, changed with leave. Loaded only while memory is on.

import { systemClock } from "../../base/clock.ts";
import { optional } from "../../base/optional.ts";
import { rememberedRoom } from "../../context/fragment/remembered.ts";
import type { PromptAnswer, RecordCounts, Scope, StrategyChoice } from "../../memory/record/contract.ts";
import { newMemoryId } from "../../memory/record/id.ts";
import { MemoryLoader, type SectionLoad } from "../../memory/record/loader.ts";
import type { ShownLine } from "../../memory/record/section.ts";
import { type MemoryToolParts, storeMemoryTool, voteMemoryTool } from "../../memory/record/tool/tools.ts";
import type { WorkTree, WriteParts } from "../../memory/record/write-contract.ts";
import type { Conversation } from "../../session/session.ts";
import type { Tool } from "../../tool/contract.ts";
import { recordFailure } from "../program-log.ts";
import type { ModelInForce } from "../session/model-in-force.ts";
import type { SessionResources } from "../session/resources.ts";
import { redactorOf } from "../workspace.ts";
import { countingTree, type Looked, tellingRedactor } from "./events.ts";
import { fileOptimiser } from "./optimise.ts";
import { countPending } from "./pending.ts";
import { type MemoryActor, type MemoryPlace, storeRequest, voteRequest } from "./request.ts";
import { storesIn } from "./seen.ts";
import { hasGone } from "./shown.ts";
import { placeIn, strategyFor, treeOf } from "./strategy.ts";

/** What memory works on in an open session. */
export type MemoryServices = Pick<SessionResources, "workspace" | "main" | "index" | "stopping"> & {
  model: ModelInForce;
};
export type LastFailure = { code: string; at: string };

const SHOWN_AFTER = 3;

export class RecordsInSession {
  readonly #services: MemoryServices;
  readonly #onChange: () => void;
  readonly #loader: MemoryLoader;
  #strategy: Promise<StrategyChoice> | undefined;
  #place: string | undefined;
  #now: SectionLoad | undefined;
  #looked: () => Looked | undefined = () => undefined;
  /** Generation of the store when it was last compared with what is shown. */
  #lookedAt: number | undefined;
  readonly #failures = new Map<string, number>();
  #lastFailure: LastFailure | undefined;
  #skipped: string | undefined;
  /** By who calls: they are asked for at each step. */
  readonly #tools = new WeakMap<MemoryActor, { by: PromptAnswer; tools: readonly Tool[] }>();

  constructor(services: MemoryServices, onChange: () => void) {
    this.#services = services;
    this.#onChange = onChange;
    const { workspace, model } = services;
    const values = () => workspace.settings.values;
    this.#loader = new MemoryLoader({
      client: () => this.client(),
      place: () => this.place,
      scopes: () => this.#scopes(),
      bound: () => ({
        maxTokens: rememberedRoom("records", model.promptLimit, values()["memory.prompt.maxTokens"]),
        maxRecords: values()["memory.prompt.maxRecords"],
      }),
      timeoutMs: () => values()["memory.service.timeoutMs"],
      clock: systemClock,
    });
  }

  get place() {
    return placeIn(this.#services.workspace, this.#services.main.state.context.cwd);
  }

  /** One strategy for a session and a place. */
  client(): Promise<StrategyChoice> {
    const { place } = this;
    if (this.#strategy && this.#place === place.repository) return this.#strategy;
    const { workspace, main, index } = this.#services;
    const { tree, take } = countingTree(this.#tree());
    this.#looked = take;
    this.#place = place.repository;
    this.#strategy = strategyFor({
      workspace,
      place,
      enabled: true,
      open: () => index.store(),
      tree,
      ...optional("optimise", fileOptimiser(this.#services)),
      onUnsupported: (definition) => main.publish("memory.definition_unsupported", definition),
      onWritten: (written) => main.publish("memory.file_written", written),
      onWarning: (message) => main.publish("soft_failure", { part: "memory", code: "memory_file", message }),
    });
    return this.#strategy;
  }

  /** Fetches, or takes what is still true; true when section or tools may differ from before. */
  async load(): Promise<boolean> {
    const before = this.#now;
    this.#now = await this.#loader.load();
    this.#lookedAt = this.#now.type === "loaded" ? this.#now.strategy.generation() : undefined;
    this.#tell(this.#now);
    this.#tellLooked();
    return before?.type !== this.#now.type || this.section(before) !== this.section();
  }

  /** What was fetched is asked for again. */
  drop(): void {
    this.#loader.drop();
  }

  /** Whether what is in force is for another place, or was not to be had. */
  isOld(): boolean {
    return this.#now === undefined || this.#now.type === "unavailable" || this.#place !== this.place.repository;
  }

  /** What was deleted, here or by another process, does not stay in the prompt until the next epoch. */
  async hasGone(): Promise<boolean> {
    if (this.#now?.type !== "loaded") return false;
    const { strategy } = this.#now;
    const generation = strategy.generation();
    if (generation === this.#lookedAt) return false;
    this.#lookedAt = generation;
    return hasGone(this.lines(), { strategy, place: this.place, signal: this.#services.stopping.signal });
  }

  section(loaded = this.#now): string {
    return loaded?.type === "loaded" ? loaded.section : "";
  }

  /** Those of the section, with the records that they show. */
  lines(): readonly ShownLine[] {
    return this.#now?.type === "loaded" ? this.#now.lines : [];
  }

  counts(): RecordCounts | undefined {
    return this.#now?.type === "loaded" ? this.#now.answer.counts : undefined;
  }

  get state(): { strategy: string; why?: string; lastFailure?: LastFailure } {
    const now = this.#now;
    return {
      strategy: now?.type === "loaded" ? now.strategy.kind : now?.type === "unavailable" ? now.strategy : "",
      ...(now?.type === "skipped" ? { why: now.message } : {}),
      ...(now?.type === "unavailable" ? { why: `it could not be reached (${now.code})` } : {}),
      ...optional("lastFailure", this.#lastFailure),
    };
  }

  /** Records that wait for the user. */
  async pending(signal: AbortSignal): Promise<number> {
    const client = await this.client();
    return client.type === "ready" ? countPending(client.strategy, this.place, signal) : 0;
  }

  /** None while there is nothing to store into. */
  tools(actor: MemoryActor): readonly Tool[] {
    if (this.#now?.type !== "loaded" || !this.#now.answer.enabled) return [];
    const existing = this.#tools.get(actor);
    if (existing?.by === this.#now.answer) return existing.tools;
    const tools = this.#makeTools(actor, this.#now);
    this.#tools.set(actor, { by: this.#now.answer, tools });
    return tools;
  }

  #makeTools(actor: MemoryActor, { strategy, answer }: Extract<SectionLoad, { type: "loaded" }>): Tool[] {
    const { store, vote } = answer.tools;
    const parts: MemoryToolParts = {
      write: this.write,
      storing: (call) => storeRequest(this.#asking(), actor, call),
      voting: (call) => voteRequest(this.#asking(), actor, call),
      onFailure: (code) => this.#failed(code),
    };
    const options = { scopes: strategy.supportsScopes, instructions: answer.storeInstructions };
    return [
      ...(store ? [storeMemoryTool(parts, store, options)] : []),
      ...(vote && strategy.supportsVoting ? [voteMemoryTool(parts, vote)] : []),
    ];
  }

  get write(): WriteParts {
    const { workspace, main } = this.#services;
    const values = () => workspace.settings.values;
    // The user may still delete while memory is off; of that nothing is told.
    const publish: Conversation["publish"] = (type, data) => {
      if (values()["memory.enabled"]) main.publish(type, data);
    };
    return {
      client: () => this.client(),
      redactor: tellingRedactor(redactorOf(workspace), (finding) =>
        publish("secret.redacted", { ...finding, where: "memory" }),
      ),
      newId: () => newMemoryId(),
      settings: () => ({ userScope: values()["memory.userScope"], maxStores: values()["memory.maxStoresPerSession"] }),
      storesSoFar: () => storesIn(main.state.chain),
      instructions: () => this.#instructions(),
      tree: this.#tree(),
      clock: systemClock,
      onStore: (event) => main.publish("memory.store", event),
      onVote: (event) => main.publish("memory.vote", event),
      onEdited: (event) => publish("memory.changed", event),
      onChanged: () => this.#onChange(),
    };
  }

  async end(signal: AbortSignal): Promise<void> {
    const client = await this.#strategy;
    if (client?.type === "ready") await client.strategy.shutdown(signal);
  }

  /** The system prompt without the memories themselves. */
  #instructions(): string {
    const text = this.#services.main.state.systemText ?? "";
    const section = this.section();
    return section ? text.replace(section, "") : text;
  }

  /** With memory.verify off no file is looked at: what is known of them stays. */
  #tree(): WorkTree {
    const { workspace, main } = this.#services;
    const tree = treeOf(workspace, main.state.context.cwd);
    if (workspace.settings.values["memory.verify"]) return tree;
    return { ...tree, check: ({ state }) => state };
  }

  #scopes(): readonly Scope[] {
    return this.#services.workspace.settings.values["memory.userScope"] ? ["repository", "user"] : ["repository"];
  }

  #asking(): MemoryPlace {
    return { main: this.#services.main, place: this.place, lines: this.lines() };
  }

  #tell(now: SectionLoad): void {
    const { main } = this.#services;
    if (now.type === "skipped") {
      if (this.#skipped !== now.reason) main.publish("memory.skipped", { reason: now.reason });
      this.#skipped = now.reason;
      return;
    }
    const { durationMs } = now;
    if (now.type === "unavailable") {
      const { strategy, code } = now;
      this.#lastFailure = { code, at: systemClock.now() };
      if (code !== "paused") main.publish("memory.prompt_unavailable", { strategy, code, durationMs });
      return;
    }
    const { answer, cached, section, strategy } = now;
    const { shown, ...counts } = answer.counts;
    const tokens = Math.ceil(Buffer.byteLength(section) / 3);
    const { stale } = answer;
    main.publish("memory.prompt_loaded", {
      strategy: strategy.kind,
      counts,
      shown: section ? shown : 0,
      tokens,
      stale,
      cached,
      durationMs,
    });
  }

  /** With memory.verify off no file was looked at. */
  #tellLooked(): void {
    const looked = this.#looked();
    const { workspace, main } = this.#services;
    if (looked && workspace.settings.values["memory.verify"]) main.publish("memory.verified", looked);
  }

  /** The third of one kind is told to the user, once. */
  #failed(code: string): void {
    const count = (this.#failures.get(code) ?? 0) + 1;
    this.#failures.set(code, count);
    this.#lastFailure = { code, at: systemClock.now() };
    if (count !== SHOWN_AFTER) return recordFailure(this.#services.workspace, { part: "memory", code });
    const message = `Memory failed ${count} times in this session (${code}). See /memory.`;
    this.#services.main.publish("soft_failure", { part: "memory", code, message });
  }
}
