// What the main agent is reminded of before a message: pins, promoted facts, and what fits the words, within one time limit.
import { existsSync } from "node:fs";
import { within } from "../../base/abort.ts";
import { errorText } from "../../base/failure.ts";
import { rememberedChars } from "../../context/fragment/remembered.ts";
import { repositoryKey } from "../../host/git.ts";
import { type RecallSearch, searchFacts } from "../../memory/graph/search.ts";
import { sqliteGraph } from "../../memory/graph/store/sqlite.ts";
import { instantAt } from "../../memory/graph/time.ts";
import { pinLine } from "../../memory/pin/line.ts";
import { activePins } from "../../memory/pin/pin.ts";
import { SAID } from "../../memory/recall/item.ts";
import type { Recall } from "../../memory/recall/recall.ts";
import { RECALLED_BOUNDS, type RecalledLine, recalledBlock } from "../../memory/recall/recalled-block.ts";
import { STOP_WORDS } from "../../memory/recall/text/stop-words.ts";
import { wordsOf } from "../../memory/recall/text/words.ts";
import type { Fact } from "../../schema/graph.ts";
import type { MessageInput } from "../../session/turn-input.ts";
import type { Database } from "../../store/sqlite.ts";
import { groupsOf, userGroup } from "../graph/feed.ts";
import { pinOwners } from "../pin/owner.ts";
import type { SessionResources } from "../session/resources.ts";
import { refOf } from "./match-text.ts";
import { recallPlace, scopesOf } from "./scope.ts";

type RecalledServices = Pick<SessionResources, "workspace" | "main" | "index"> & { model: { promptLimit: number } };

/** Shorter messages are about what was said just before. */
const LEAST_WORDS = 3;

export class RecalledBlocks {
  readonly #services: RecalledServices;
  /** What stands in the window: told anew when it changes, and when a compaction took it away. */
  #shown = "";

  constructor(services: RecalledServices) {
    this.#services = services;
  }

  /** Undefined: there is nothing to say. Searches that are late are left out; a failure is told and stops nobody. */
  async before({ content, display }: MessageInput, signal: AbortSignal): Promise<string | undefined> {
    const { workspace, main } = this.#services;
    const { values } = workspace.settings;
    if (!values["memory.enabled"] || !existsSync(workspace.paths.store)) return undefined;
    const text = display ?? content;
    try {
      return await this.#block(text, signal);
    } catch (error) {
      main.publish("soft_failure", { part: "recall", code: "failed", message: errorText(error), sessionId: main.id });
      return undefined;
    }
  }

  async #block(text: string, signal: AbortSignal): Promise<string | undefined> {
    const { workspace, main, index } = this.#services;
    const opened = await index.store();
    if (!opened.ok) return undefined;
    const db = opened.value;
    const pins = activePins(db, pinOwners(workspace, main.id));
    const groups = this.#groups();
    const promoted = await this.#promoted(db, groups);
    const ids = [...pins, ...promoted.map(({ uuid }) => ({ id: uuid }))].map(({ id }) => id);
    const standing = ids.length === 0 ? "" : [...this.#summaries(), ...ids].join(" ");
    const isNew = standing !== this.#shown || this.#isFirst();
    const isSearched = workspace.settings.values["recall.auto"] && contentWords(text) >= LEAST_WORDS;
    if (!isNew && !isSearched) return undefined;
    this.#shown = standing;
    const [matches, quotes] = await Promise.all([
      this.#inTime(this.#matchingFacts(db, groups, text, signal), signal),
      isSearched ? this.#inTime(this.#quotes(text, signal), signal) : [],
    ]);
    const parts = { pins: pins.map(pinLine), facts: [...promoted, ...matches].map(factLine), quotes };
    return recalledBlock(parts, text, rememberedChars("recall", this.#services.model.promptLimit));
  }

  /** What is late is left out. */
  async #inTime<T>(search: Promise<T[]>, signal: AbortSignal): Promise<T[]> {
    const outcome = await within(search, this.#services.workspace.settings.values["recall.timeoutMs"], signal);
    return outcome.type === "value" ? outcome.value : [];
  }

  #isFirst(): boolean {
    return this.#services.main.state.promptCount === 0;
  }

  #summaries(): string[] {
    return this.#services.main.state.checkpoints.map(({ eventId, undone }) => `${eventId}${undone ? "-" : "+"}`);
  }

  #groups(): string[] {
    const { workspace, main } = this.#services;
    const repository = workspace.redact(repositoryKey(main.state.context.cwd));
    const own = groupsOf(workspace, { session: main.id, repository });
    return [...own, userGroup(workspace)].map(({ id }) => id);
  }

  #isGraphOn(): boolean {
    return this.#services.workspace.settings.values["graph.enabled"];
  }

  /** Those that hold now, newest first. */
  async #promoted(db: Database, groups: readonly string[]): Promise<Fact[]> {
    if (!this.#isGraphOn()) return [];
    const facts = await sqliteGraph(db).facts({ groups, promoted: true, currentAt: instantAt(Date.now()) });
    return facts.ok ? facts.value.reverse() : [];
  }

  async #matchingFacts(db: Database, groups: readonly string[], query: string, signal: AbortSignal): Promise<Fact[]> {
    if (!this.#isGraphOn() || contentWords(query) === 0) return [];
    const graph = sqliteGraph(db);
    const now = instantAt(Date.now());
    // Where there is no fact, no search has to be made ready.
    const any = await graph.facts({ groups, currentAt: now, limit: 1 });
    const recall = any.ok && any.value.length > 0 ? await this.#recall() : undefined;
    if (!recall) return [];
    const search: RecallSearch<unknown> = (request) => recall.search(request, { signal });
    const limit = RECALLED_BOUNDS.facts.lines;
    const facts = await searchFacts(search, graph, { query, groups, limit, now, floor: true });
    return facts.ok ? facts.value : [];
  }

  async #quotes(text: string, signal: AbortSignal): Promise<RecalledLine[]> {
    const { workspace, main } = this.#services;
    const scopes = scopesOf("auto", { ...recallPlace(workspace, main.state.context), session: main.id });
    const recall = scopes.ok ? await this.#recall() : undefined;
    if (!recall || !scopes.ok) return [];
    const answer = await recall.search(
      { text, kinds: SAID, within: { scopes: scopes.value }, floor: true, limit: RECALLED_BOUNDS.quotes.lines },
      { signal },
    );
    if (!answer.ok) return [];
    return answer.value.results.map((hit) => ({
      text: hit.snippets.map((snippet) => snippet.text).join(" … "),
      ref: refOf(hit, main.id),
      ...(hit.time === undefined ? {} : { at: hit.time }),
      source: hit.role === "" ? hit.kind : hit.role,
    }));
  }

  /** With its thread running. */
  async #recall(): Promise<Recall | undefined> {
    const { workspace, index } = this.#services;
    const { values } = workspace.settings;
    if (!values["recall.enabled"]) return undefined;
    const recall = await index.recall(false);
    return recall && (await recall.start(values["recall.timeoutMs"])) ? recall : undefined;
  }
}

const contentWords = (text: string): number =>
  new Set(wordsOf(text.slice(0, 4000)).filter((word) => !STOP_WORDS.has(word))).size;

const factLine = ({ uuid, text, validAt, origin }: Fact): RecalledLine => ({
  text,
  ref: uuid.slice(0, 8),
  at: validAt,
  source: FACT_SOURCES[origin],
});
const FACT_SOURCES: Readonly<Record<Fact["origin"], string>> = {
  promotion: "promoted by the user",
  directive: "promoted by the user",
  user: "added by the user",
  rule: "from a conversation",
  llm: "from a conversation",
  api: "from another client",
};
