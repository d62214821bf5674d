// Recall on a team's database, as one member may use it: their own sessions and memories, and what is shared with them.
import { type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { boardSource } from "../../memory/board/recall-source.ts";
import { episodeSource, factSource } from "../../memory/graph/store/recall-source.ts";
import type { Embedder } from "../../memory/recall/embed/contract.ts";
import { RowRecall } from "../../memory/recall/row-recall.ts";
import type { RecallScope, Within } from "../../memory/recall/store/scope.ts";
import { fillFrom, hasAllRows } from "../../memory/recall/store/source.ts";
import { recordSource } from "../../memory/record/embedded/recall-source.ts";
import { repositoryMeant } from "../../memory/record/reach.ts";
import type { RecallOperations, RecallView } from "../../server/manage/recall.ts";
import { type Member, personOf, reachOf } from "../../server/team/member.ts";
import type { RowStore } from "../../store/unit.ts";
import type { RecallFilters } from "../client/recall.ts";
import { embedderSettings } from "../recall/engine.ts";
import { ask, type MatchPage, unavailable } from "../recall/query.ts";
import { badQuestion, queryOf } from "../recall/question.ts";
import { recallKinds } from "../recall/scope.ts";
import type { Workspace } from "../workspace.ts";
import { mayTeamSend } from "./consent.ts";

/** A node stands in no folder of the member's: without a scope everything that they reach is searched. */
const SCOPES = ["auto", "session", "branch", "repository", "user", "all"] as const;
type TeamScope = (typeof SCOPES)[number];

/** `origin`: where it sends texts, when that is not the node's machine. */
type NodeEmbedder = { embedder: Embedder; origin: string | undefined };

/** The engines of a team's tenants on one node. */
export class TeamRecalls {
  readonly #workspace: Workspace;
  readonly #storeOf: (tenant: string) => RowStore;
  readonly #onTrouble: (message: string) => void;
  readonly #tenants = new Map<string, RowRecall>();
  #embedder: Promise<NodeEmbedder | undefined> | undefined;

  constructor(workspace: Workspace, storeOf: (tenant: string) => RowStore, onTrouble: (message: string) => void) {
    this.#workspace = workspace;
    this.#storeOf = storeOf;
    this.#onTrouble = onTrouble;
  }

  /** Passages may be waiting for their vectors. */
  wake(tenant: string): void {
    this.of(tenant).embedSoon();
  }

  /** What was stored before there was an index, or came from a home, is filled in while others search. */
  of(tenant: string): RowRecall {
    const existing = this.#tenants.get(tenant);
    if (existing) return existing;
    const { values } = this.#workspace.settings;
    const store = this.#storeOf(tenant);
    void fillOnce(store);
    this.#embedder ??= nodeEmbedder(this.#workspace, this.#onTrouble);
    const recall = new RowRecall({
      ...{ store, timeoutMs: values["recall.timeoutMs"], maxPostings: values["recall.maxPostings"] },
      ...{
        embedder: embedderOfTenant(this.#embedder, tenant, store),
        vectorFormat: values["recall.vectorFormat"],
        onTrouble: this.#onTrouble,
      },
    });
    this.#tenants.set(tenant, recall);
    recall.embedSoon();
    return recall;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#tenants.values()].map((recall) => recall.close()));
  }
}

/** Every node must make the same vectors: none of them looks for an embedder by itself. */
async function nodeEmbedder(
  workspace: Workspace,
  onTrouble: (message: string) => void,
): Promise<NodeEmbedder | undefined> {
  const settings = embedderSettings(workspace, false);
  if (!settings || settings.embedder === "auto") return undefined;
  const { chooseEmbedder } = await import("../../memory/recall/embed/choose.ts");
  const { embedder, origin, notes } = await chooseEmbedder({ ...settings, mayCall: () => true });
  if (embedder) return { embedder, origin };
  onTrouble(notes.join("; "));
  return undefined;
}

/** Texts of a tenant leave the node's machine only while the tenant allows it, whatever the home of the node says. */
async function embedderOfTenant(
  opening: Promise<NodeEmbedder | undefined>,
  tenant: string,
  store: RowStore,
): Promise<Embedder | undefined> {
  const { embedder, origin } = (await opening) ?? {};
  if (!embedder || origin === undefined) return embedder;
  const { whileAllowed } = await import("../../memory/recall/embed/choose.ts");
  const refused = `${tenant} has not allowed ${origin}: everlong consent grant ${origin} --tenant ${tenant}`;
  return whileAllowed(embedder, () => mayTeamSend(store, origin), refused);
}

/** Rows that many nodes fill in are the same rows; whoever cannot reach the database leaves it to the next. */
async function fillOnce(store: RowStore): Promise<void> {
  const whole = await store.read(hasAllRows);
  if (whole.ok && !whole.value) await fillFrom(store, TEAM_SOURCES);
}

/** Every kind of row that recall finds beside what was said. Pins stay in homes. */
const TEAM_SOURCES = [recordSource, boardSource, factSource, episodeSource];

const withinReach = (member: Member, scopes: readonly RecallScope[]): Within => ({
  ...{ identity: personOf(member), scopes },
  reach: reachOf(member),
});

export function memberRecall(
  workspace: Pick<Workspace, "settings">,
  recall: RowRecall,
  member: Member,
  onDone: (ms: number) => void,
): RecallOperations {
  const kinds = recallKinds(workspace);
  const everything = withinReach(member, [{ type: "all" }]);
  const originalOf = async (scope: Within, id: string) => {
    const item = await recall.item(scope, id);
    if (!item.ok) return fail(unavailable(item.error.message));
    return ok(item.value && kinds.includes(item.value.kind) ? item.value : undefined);
  };
  return {
    async ask({ query: text = "", without: _without, ...question }, signal): Promise<Result<RecallView, Failure>> {
      const query = queryOf(text, question);
      if (!query.ok) return query;
      if (question.around !== undefined) return atHome("Surrounding turns are");
      const where = whereOf(question, member);
      if (!where.ok) return where;
      const scope = withinReach(member, where.value.scopes);
      const item = await originalOf(scope, text.trim());
      if (!item.ok) return item;
      if (item.value) return ok(item.value);
      const limit = workspace.settings.values["recall.limit"];
      const wanted = {
        limit,
        ...query.value,
        within: scope,
        kinds: query.value.kinds?.filter((k) => kinds.includes(k)) ?? kinds,
      };
      const start = performance.now();
      const page = await ask(recall, wanted, signal);
      onDone(performance.now() - start);
      if (!page.ok) return page;
      const { hits: results, ...rest } = question.full ? await whole(page.value, recall, scope) : page.value;
      return ok({ scope: where.value.name, results, ...rest });
    },
    async item(id, around) {
      if (around !== undefined) return atHome("Surrounding turns are");
      const item = await originalOf(everything, id);
      if (!item.ok) return item;
      return item.value ? ok({ item: item.value }) : fail(unknownItem(id));
    },
    injected: async () => atHome("A preview of a new session is"),
    stats: async () => atHome("The size of the index is"),
    forget: async () => atHome("Forgetting is"),
  };
}

type Where = { name: TeamScope; scopes: RecallScope[] };

function whereOf(ask: RecallFilters, { user }: Member): Result<Where, Failure> {
  const { session, branch } = ask;
  const repository = ask.repo === undefined ? undefined : repositoryMeant(ask.repo);
  const implied = session ? "session" : repository === undefined ? "all" : branch ? "branch" : "repository";
  const name = SCOPES.find((scope) => scope === (ask.scope ?? implied));
  const board: RecallScope[] =
    repository === undefined || branch === undefined ? [] : [{ type: "board", repository, branch }];
  switch (name) {
    case undefined:
      return badQuestion(`"${ask.scope}" is not a scope here.`, `Scopes: ${SCOPES.join(", ")}.`, "invalid_scope");
    case "session":
      return session === undefined
        ? badQuestion("No session to search.", "Name one as session.", "invalid_scope")
        : ok({ name, scopes: [{ type: "session", session }] });
    case "repository":
      return repository === undefined
        ? badQuestion("No repository to search.", "Name one as repo.", "invalid_scope")
        : ok({ name, scopes: [{ type: "repository", repository }, ...board] });
    case "branch":
      return repository === undefined || branch === undefined
        ? badQuestion("No branch to search.", "Name repo and branch.", "invalid_scope")
        : ok({ name, scopes: [{ type: "branch", repository, branch }, ...board] });
    case "user":
      return ok({ name, scopes: [{ type: "user", user }] });
    case "auto":
      if (repository !== undefined)
        return ok({ name, scopes: [{ type: "repository", repository }, ...board, { type: "user", user }] });
      return ok({ name, scopes: [{ type: "all" }] });
    case "all":
      return ok({ name, scopes: [{ type: "all" }] });
  }
}

/** Items with all of their text instead of snippets. */
async function whole(page: MatchPage, recall: RowRecall, scope: Within): Promise<MatchPage> {
  const texts = await Promise.all(page.hits.map((hit) => recall.item(scope, hit.id)));
  return {
    ...page,
    hits: page.hits.map((hit, i) => {
      const item = texts[i];
      const text = item?.ok ? (item.value?.text ?? "") : "";
      return { ...hit, snippets: [{ text, start: 0, end: text.length, hits: [] }] };
    }),
  };
}

const atHome = (what: string) =>
  badQuestion(`${what} not available on a team's node.`, "Ask the home of the session: everlong recall.");

const unknownItem = (id: string): Failure =>
  refusal("no_such_item", `Item not found: ${id.slice(0, 120)}.`, "An id comes from a search.");
