// What the main agent is reminded of before a message: pins, promoted facts, and what fits the words, within one time limit.
import { existsSync } from "node:fs";
import { within } from "../../base/abort.ts";
import { errorText } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { rememberedChars } from "../../context/fragment/remembered.ts";
import { repositoryKey } from "../../host/git.ts";
import { type RecallSearch, searchFacts } from "../../memory/graph/search.ts";
import { embeddedGraph } from "../../memory/graph/store/embedded.ts";
import { instantAt } from "../../memory/graph/time.ts";
import { pinLine } from "../../memory/pin/line.ts";
import { activePins } from "../../memory/pin/pin.ts";
import { vectorLoss } from "../../memory/recall/embed/query-vector.ts";
import { SAID } from "../../memory/recall/item.ts";
import type { Recall } from "../../memory/recall/recall.ts";
import { RECALLED_BOUNDS, type RecalledLine, recalledBlock } from "../../memory/recall/recalled-block.ts";
import type { SearchAnswer, SearchRequest } from "../../memory/recall/search.ts";
import { STOP_WORDS } from "../../memory/recall/text/stop-words.ts";
import { wordsOf } from "../../memory/recall/text/words.ts";
import type { Fact } from "../../schema/graph.ts";
import { NO_VECTOR } from "../../schema/recall-loss.ts";
import type { Conversation } from "../../session/session.ts";
import type { SessionState } from "../../session/state.ts";
import type { MessageInput } from "../../session/turn-input.ts";
import type { Database } from "../../store/sqlite.ts";
import { groupsOf, userGroup } from "../graph/feed.ts";
import { pinOwners } from "../pin/owner.ts";
import type { SessionIndex } from "../session/index.ts";
import type { SessionResources } from "../session/resources.ts";
import { refOf } from "./match-text.ts";
import { recallPlace, scopesOf } from "./scope.ts";

/** What recall needs of a session, or of one that might begin. */
type RecalledServices = Pick<SessionResources, "workspace"> & {
  main: Pick<Conversation, "id" | "publish"> & {
    state: Pick<SessionState, "promptCount" | "checkpoints" | "context">;
  };
  index: Pick<SessionIndex, "store" | "recall">;
  model: { promptLimit: number };
};

/** Why a part of what is remembered is missing. */
type Loss = { code: string; message: string };
type Searched<T> = Result<T[], Loss>;

/** Shorter messages are about what was said just before. */
const LEAST_WORDS = 3;

export class RecalledBlocks {
  readonly #services: RecalledServices;
  /** What stands in the window: told anew when it changes, and when a compaction took it away. */
  #shown = "";
  /** The embedder gave no vector for the message at hand: words alone were searched. */
  #lostVector = false;

  constructor(services: RecalledServices) {
    this.#services = services;
  }

  /** Undefined: there is nothing to say. A search that is late or fails is left out and told; it stops nobody. */
  async before(
    { content, display }: Pick<MessageInput, "content" | "display">,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { workspace } = this.#services;
    const { values } = workspace.settings;
    if (!values["memory.enabled"] || !existsSync(workspace.paths.store)) return undefined;
    const text = display ?? content;
    try {
      return await this.#block(text, signal);
    } catch (error) {
      this.#tell({ code: "failed", message: `The search failed (${errorText(error)}).` });
      return undefined;
    }
  }

  async #block(text: string, signal: AbortSignal): Promise<string | undefined> {
    const { workspace, main, index } = this.#services;
    const opened = await index.store();
    // The index tells this one: it cannot be written after the turn either.
    if (!opened.ok) return undefined;
    const db = opened.value;
    const pins = activePins(db, pinOwners(workspace, main.id));
    const groups = this.#groups();
    const standingFacts = await this.#promoted(db, groups);
    const promoted = standingFacts.ok ? standingFacts.value : [];
    const ids = [...pins, ...promoted.map(({ uuid }) => ({ id: uuid }))].map(({ id }) => id);
    const standing = ids.length === 0 ? "" : [...this.#summaries(), ...ids].join(" ");
    const isNew = standing !== this.#shown || this.#isFirst();
    const isSearched = workspace.settings.values["recall.auto"] && contentWords(text) >= LEAST_WORDS;
    if (!isNew && !isSearched) return undefined;
    this.#shown = standing;
    const [matches, quotes] = await Promise.all([
      this.#inTime(this.#matchingFacts(db, groups, text, signal), signal),
      isSearched ? this.#inTime(this.#quotes(text, signal), signal) : ok([]),
    ]);
    // One line is enough, whatever is missing; whoever interrupted the turn needs none.
    const lost = [standingFacts, matches, quotes].find((searched) => !searched.ok);
    if (lost && !lost.ok && !signal.aborted) this.#tell(lost.error);
    else if (this.#lostVector && !signal.aborted) this.#tell(NO_VECTOR);
    this.#lostVector = false;
    const facts = [...promoted, ...(matches.ok ? matches.value : [])];
    const parts = { pins: pins.map(pinLine), facts: facts.map(factLine), quotes: quotes.ok ? quotes.value : [] };
    return recalledBlock(parts, text, rememberedChars("recall", this.#services.model.promptLimit));
  }

  #tell(loss: Loss): void {
    const { main } = this.#services;
    main.publish("soft_failure", { part: "recall", ...loss, sessionId: main.id });
  }

  get #limitMs(): number {
    return this.#services.workspace.settings.values["recall.timeoutMs"];
  }

  /** What is late is left out. */
  async #inTime<T>(search: Promise<Searched<T>>, signal: AbortSignal): Promise<Searched<T>> {
    const outcome = await within(search, this.#limitMs, signal);
    return outcome.type === "value" ? outcome.value : fail(lateAfter(this.#limitMs));
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
  async #promoted(db: Database, groups: readonly string[]): Promise<Searched<Fact>> {
    if (!this.#isGraphOn()) return ok([]);
    const facts = await embeddedGraph(db).facts({ groups, promoted: true, currentAt: instantAt(Date.now()) });
    return facts.ok ? ok(facts.value.reverse()) : fail(lossOf(facts.error));
  }

  async #matchingFacts(
    db: Database,
    groups: readonly string[],
    query: string,
    signal: AbortSignal,
  ): Promise<Searched<Fact>> {
    if (!this.#isGraphOn() || contentWords(query) === 0) return ok([]);
    const graph = embeddedGraph(db);
    const now = instantAt(Date.now());
    // Where there is no fact, no search has to be made ready.
    const any = await graph.facts({ groups, currentAt: now, limit: 1 });
    if (!any.ok) return fail(lossOf(any.error));
    if (any.value.length === 0 || !this.#isRecallOn()) return ok([]);
    const recall = await this.#recall();
    if (!recall.ok) return recall;
    const limit = RECALLED_BOUNDS.facts.lines;
    const search: RecallSearch<Loss> = (request) => this.#search(recall.value, request, signal);
    const facts = await searchFacts(search, graph, { query, groups, limit, now, floor: true });
    return facts.ok ? facts : fail("what" in facts.error ? lossOf(facts.error) : facts.error);
  }

  async #quotes(text: string, signal: AbortSignal): Promise<Searched<RecalledLine>> {
    const { workspace, main } = this.#services;
    const scopes = scopesOf("auto", { ...recallPlace(workspace, main.state.context), session: main.id });
    if (!scopes.ok || !this.#isRecallOn()) return ok([]);
    const recall = await this.#recall();
    if (!recall.ok) return recall;
    const answer = await this.#search(
      recall.value,
      { text, kinds: SAID, within: { scopes: scopes.value }, floor: true, limit: RECALLED_BOUNDS.quotes.lines },
      signal,
    );
    if (!answer.ok) return answer;
    const lines = answer.value.results.map((hit) => ({
      text: hit.snippets.map((snippet) => snippet.text).join(" … "),
      ref: refOf(hit, main.id),
      ...(hit.time === undefined ? {} : { at: hit.time }),
      source: hit.role === "" ? hit.kind : hit.role,
    }));
    return ok(lines);
  }

  async #search(recall: Recall, request: SearchRequest, signal: AbortSignal): Promise<Result<SearchAnswer, Loss>> {
    const answer = await recall.search(request, { signal });
    if (!answer.ok) return fail(lossOf({ ...answer.error, what: answer.error.message }));
    if (answer.value.skipped.includes("all")) return fail(lateAfter(this.#limitMs));
    // An embedder that is left alone for a while has been reported by the searches that it failed.
    if (vectorLoss(answer.value.skipped) === "late") this.#lostVector = true;
    return answer;
  }

  #isRecallOn(): boolean {
    return this.#services.workspace.settings.values["recall.enabled"];
  }

  /** With its thread running. */
  async #recall(): Promise<Result<Recall, Loss>> {
    const recall = await this.#services.index.recall(false);
    if (!recall) return fail(lossOf({ code: "store_unavailable", what: "the index cannot be opened now" }));
    return (await recall.start(this.#limitMs)) ? ok(recall) : fail(lateAfter(this.#limitMs));
  }
}

const lateAfter = (limitMs: number): Loss => ({
  code: "timeout",
  message: `The search took longer than ${limitMs} ms (recall.timeoutMs).`,
});
const lossOf = ({ code, what }: { code: string; what: string }): Loss => ({
  code,
  message: `The search failed (${what}).`,
});

const contentWords = (text: string): number =>
  new Set(wordsOf(text.slice(0, 4000)).filter((word) => !STOP_WORDS.has(word))).size;

const factLine = ({ uuid, text, validAt, invalidAt, origin }: Fact): RecalledLine => ({
  text,
  ref: uuid.slice(0, 8),
  at: validAt,
  holds: optional("until", invalidAt ?? undefined),
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
