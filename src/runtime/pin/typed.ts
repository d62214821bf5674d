// After a turn: lasting instructions and directives that the user typed become pins and promotions. Nobody else's words do.
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { mayConnect } from "../../memory/graphiti/state.ts";
import { addPin } from "../../memory/pin/pin.ts";
import { standingSentences } from "../../memory/pin/standing.ts";
import { directivesIn } from "../../memory/promote/directive.ts";
import { namesSecret, secretIn } from "../../memory/promote/guard.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import { type Database, write } from "../../store/sqlite.ts";
import { graphitiStateOf } from "../graph/graphiti-gate.ts";
import { storePromotion } from "../graph/promote.ts";
import type { SessionResources } from "../session/resources.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import { redactorOf } from "../workspace.ts";
import { pinOwner } from "./owner.ts";

type TypedServices = Pick<SessionResources, "workspace" | "main" | "index">;

export class TypedWords {
  readonly #services: TypedServices;
  /** How much of the history was read. */
  #read: number;

  /** `from`: how long the history was when the session was opened here. */
  constructor(services: TypedServices, from: number) {
    this.#services = services;
    this.#read = from;
  }

  /** A failure is told and stops nobody. */
  async read(): Promise<void> {
    const { main } = this.#services;
    const { chain } = main.state;
    const news = chain.slice(Math.min(this.#read, chain.length));
    this.#read = chain.length;
    const answered = new Set(
      news.flatMap((e) => (e.type === "turn.end" && e.data.status === "done" ? e.data.turnId : [])),
    );
    for (const event of news) {
      if (event.type !== "user.message" || event.agentId !== undefined || event.data.source !== "user") continue;
      const outcome = await this.#take(event, answered.has(event.data.turnId));
      if (outcome.ok) continue;
      const { code, what: message } = outcome.error;
      main.publish("soft_failure", { part: "promotion", code, message, sessionId: main.id });
    }
  }

  async #take(event: Envelope<"user.message">, isAnswered: boolean): Promise<Result<void, Failure>> {
    const { workspace, index } = this.#services;
    const { values } = workspace.settings;
    // An agent that runs Everlong in its shell is no person.
    if (!values["memory.enabled"] || refuseInToolShell(workspace.env, "promote")) return ok(undefined);
    const text = event.data.display ?? event.data.content;
    const sentences = values["recall.pins.auto"] ? standingSentences(text) : [];
    const isPromoted =
      isAnswered &&
      values["memory.graphiti.autoPromote.enabled"] &&
      (values["graph.enabled"] || (await this.#hasServer()));
    if (sentences.length === 0 && !isPromoted) return ok(undefined);
    const db = await index.store();
    if (!db.ok) return db;
    const pinned = await this.#pin(db.value, event, sentences);
    return pinned.ok && isPromoted ? this.#promote(db.value, event, text) : pinned;
  }

  /** Without a graph of our own they go to the Graphiti server alone. */
  async #hasServer(): Promise<boolean> {
    const { workspace } = this.#services;
    return workspace.settings.values["memory.graphiti.enabled"] && mayConnect(await graphitiStateOf(workspace));
  }

  async #pin(
    db: Database,
    { id, timestamp, data }: Envelope<"user.message">,
    sentences: readonly string[],
  ): Promise<Result<void, Failure>> {
    const { workspace, main } = this.#services;
    const owner = pinOwner(workspace, "session", main.id);
    const turn = Number(data.ref?.slice(1));
    return write(db, () => {
      for (const [i, sentence] of sentences.entries())
        addPin(db, {
          text: workspace.redact(sentence),
          origin: "typed",
          session: main.id,
          ...(Number.isInteger(turn) ? { turn } : {}),
          owner,
          source: `${id}.${i}`,
          now: timestamp,
        });
    });
  }

  async #promote(db: Database, event: Envelope<"user.message">, text: string): Promise<Result<void, Failure>> {
    const { workspace, main, index } = this.#services;
    const graph = await index.graph(db);
    const redactor = redactorOf(workspace);
    let refusals = 0;
    for (const [i, directive] of directivesIn(text).entries()) {
      if (secretIn(redactor, directive.text) !== undefined || namesSecret(directive.text)) {
        refusals++;
        continue;
      }
      const promotion = { ...directive, at: event.timestamp };
      const stored = await storePromotion(workspace, graph, db, promotion, { turnId: event.data.turnId, index: i });
      if (!stored.ok) return stored;
    }
    if (refusals > 0) {
      const lines = refusals === 1 ? "A line was" : `${refusals} lines were`;
      const message = `${lines} not promoted because a secret may be in it.`;
      await main.emit("session.warning", { warningType: "promotion_refused", message });
    }
    return ok(undefined);
  }
}
