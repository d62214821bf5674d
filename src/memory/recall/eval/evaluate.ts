// Measures the engine on labelled questions, beside plain full-text search in the same run.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embeddedStore } from "../../../store/embedded-store.ts";
import { recallSchema } from "../../../store/schema/recall.ts";
import { sqlite } from "../../../store/sqlite.ts";
import type { Embedder } from "../embed/contract.ts";
import { QueryEmbedder } from "../embed/query-vector.ts";
import { embedWaiting, lineUp } from "../embed/queue.ts";
import type { Signal } from "../rank/weights.ts";
import { search } from "../search.ts";
import { RecallWriter } from "../store/write.ts";
import { baselineEngine, type Engine } from "./baseline.ts";
import { type Corpus, timeOf } from "./corpus.ts";

type Metrics = { recall5: number; recall10: number; hit10: number; mrr: number };
export type Figures = Metrics & { questions: number };
type RecallMeasurement = Figures & {
  p50Ms: number;
  p95Ms: number;
  itemsPerSecond: number;
  byKind: Record<string, Figures>;
};
export type Evaluation = {
  ours: RecallMeasurement;
  baseline: RecallMeasurement;
  ratio: Metrics;
  documents: number;
  corpora: number;
  /** Questions without relevant ids. */
  skipped: number;
  /** Relevant ids that are no documents. */
  unreachable: number;
};
export type EvaluateOptions = {
  signals?: readonly Signal[];
  limit?: number;
  /** None by default: text channels alone. */
  embedder?: Embedder;
};

const DEPTH = 10;
/** A measurement is not in a hurry. */
const EMBED_MS = 8_000;

/** Both engines work in stores of their own, which are removed afterwards; nothing of the user's is read or written. */
export async function evaluate(corpora: readonly Corpus[], options: EvaluateOptions = {}): Promise<Evaluation> {
  const depth = Math.max(DEPTH, options.limit ?? DEPTH);
  const dir = mkdtempSync(join(tmpdir(), "everlong-eval-"));
  try {
    const ours = new Tally();
    const baseline = new Tally();
    let [documents, skipped, unreachable] = [0, 0, 0];
    for (const [i, corpus] of corpora.entries()) {
      const ids = new Set(corpus.documents.map((d) => d.id));
      documents += ids.size;
      const questions = corpus.questions.filter((q) => q.relevant.length > 0);
      skipped += corpus.questions.length - questions.length;
      unreachable += questions.flatMap((q) => q.relevant).filter((id) => !ids.has(id)).length;
      for (const [tally, engine] of [
        [ours, ourEngine(join(dir, `${i}.db`), corpus, options)],
        [baseline, baselineEngine(join(dir, `${i}-plain.db`))],
      ] as const)
        await tally.run(engine, { ...corpus, questions }, depth);
    }
    const [a, b] = [ours.result(), baseline.result()];
    const over = (key: keyof Figures) =>
      b[key] === 0 ? (a[key] === 0 ? 1 : Number.POSITIVE_INFINITY) : a[key] / b[key];
    const ratio = { recall5: over("recall5"), recall10: over("recall10"), hit10: over("hit10"), mrr: over("mrr") };
    return { ours: a, baseline: b, ratio, documents, corpora: corpora.length, skipped, unreachable };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The product's own writing and searching, in a store of its own. */
function ourEngine(path: string, corpus: Corpus, { signals, embedder }: EvaluateOptions): Engine {
  const db = new (sqlite().DatabaseSync)(path);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  db.exec(recallSchema);
  const times = corpus.documents.flatMap((d) => timeOf(d.time) ?? []);
  const now = times.length > 0 ? times.reduce((a, b) => Math.max(a, b)) : undefined;
  const queries = embedder && new QueryEmbedder(embedder);
  const { signal } = new AbortController();
  return {
    async add() {
      db.exec("BEGIN");
      new RecallWriter(db).add(
        corpus.documents.map((d, seq) => {
          const time = timeOf(d.time);
          return {
            id: d.id,
            kind: d.role === "tool" ? ("tool" as const) : ("turn" as const),
            text: d.text,
            role: d.role ?? "",
            seq,
            ...(time === undefined ? {} : { time }),
            place: { session: d.session ?? "", level: "session" as const },
          };
        }),
      );
      db.exec("COMMIT");
      if (!embedder) return;
      await lineUp(embeddedStore(db), embedder.id, signal);
      await embedWaiting(embeddedStore(db), { embedder }, signal);
    },
    async search(text, limit) {
      const vector = await queries?.vectorOf(text, signal, EMBED_MS);
      const { relatedWords } = await import("../text/related-words.ts");
      const request = {
        text,
        within: { scopes: [{ type: "all" as const }] },
        limit,
        ...(now === undefined ? {} : { now }),
        ...(signals ? { signals } : {}),
        ...(vector?.type === "vector" ? { vector } : {}),
      };
      return search(db, request, relatedWords).results.map((r) => r.id);
    },
    close: () => db.close(),
  };
}

class Tally {
  readonly #times: number[] = [];
  readonly #answers: (Metrics & { kind: string })[] = [];
  #items = 0;
  #ingestMs = 0;

  async run(engine: Engine, corpus: Corpus, depth: number): Promise<void> {
    try {
      const start = performance.now();
      await engine.add(corpus.documents);
      this.#ingestMs += performance.now() - start;
      this.#items += corpus.documents.length;
      for (const { text, relevant, kind } of corpus.questions) {
        const startedAt = performance.now();
        const results = await engine.search(text, depth);
        this.#times.push(performance.now() - startedAt);
        this.#answers.push({ ...metricsOf(results, new Set(relevant)), kind: String(kind ?? "") });
      }
    } finally {
      engine.close();
    }
  }

  result(): RecallMeasurement {
    const times = this.#times.toSorted((a, b) => a - b);
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
    const kinds = Map.groupBy(this.#answers, ({ kind }) => kind);
    const named = [...kinds].filter(([kind]) => kind !== "").sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      ...figuresOf(this.#answers),
      p50Ms: at(0.5),
      p95Ms: at(0.95),
      itemsPerSecond: this.#ingestMs > 0 ? (this.#items / this.#ingestMs) * 1000 : 0,
      byKind: Object.fromEntries(named.map(([kind, answers]) => [kind, figuresOf(answers)])),
    };
  }
}

function metricsOf(results: readonly string[], relevant: ReadonlySet<string>): Metrics {
  const share = (depth: number) => results.slice(0, depth).filter((id) => relevant.has(id)).length / relevant.size;
  const first = results.findIndex((id) => relevant.has(id));
  const recall10 = share(DEPTH);
  return { recall5: share(5), recall10, hit10: recall10 > 0 ? 1 : 0, mrr: first < 0 ? 0 : 1 / (first + 1) };
}

function figuresOf(answers: readonly Metrics[]): Figures {
  const mean = (key: keyof Metrics) => answers.reduce((sum, one) => sum + one[key], 0) / Math.max(1, answers.length);
  const [recall5, recall10, hit10, mrr] = [mean("recall5"), mean("recall10"), mean("hit10"), mean("mrr")];
  return { questions: answers.length, recall5, recall10, hit10, mrr };
}
