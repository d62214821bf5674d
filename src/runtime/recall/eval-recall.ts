// `everlong eval recall FILE`: the engine measured on labelled questions, in a store of its own.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Failure, systemReason } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { chooseEmbedder } from "../../memory/recall/embed/choose.ts";
import type { Embedder } from "../../memory/recall/embed/contract.ts";
import { parseCorpora } from "../../memory/recall/eval/corpus.ts";
import { type EvaluateOptions, evaluate } from "../../memory/recall/eval/evaluate.ts";
import { ablationText, evaluationText } from "../../memory/recall/eval/report.ts";
import { SIGNALS, type Signal } from "../../memory/recall/rank/weights.ts";
import type { ResultPromise } from "../client/open.ts";
import { badUsage } from "../with-store.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import { embedderSettings } from "./engine.ts";

export type EvalOptions = { embedder?: string; channels?: string[]; limit?: number; ablate?: boolean };

/** A measurement for programs, and as a table. */
type Measurement = { data: unknown; text: string };

const EMBEDDERS = ["none", "static", "ollama", "openai"] as const;
type EmbedderName = (typeof EMBEDDERS)[number];

/** The engine on a file of labelled questions. */
export async function evaluateRecall(file: string, flags: EvalOptions): ResultPromise<Measurement> {
  const unknown = flags.channels?.find((c) => !(SIGNALS as readonly string[]).includes(c));
  if (unknown !== undefined) return badUsage(`"${unknown}" is not a signal.`, `Signals: ${SIGNALS.join(", ")}.`);
  if (flags.embedder !== undefined && !(EMBEDDERS as readonly string[]).includes(flags.embedder))
    return badUsage(`"${flags.embedder}" is not an embedder.`, `Embedders: ${EMBEDDERS.join(", ")}.`);
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const text = read(resolve(file));
  if (!text.ok) return text;
  const corpora = parseCorpora(text.value);
  if (!corpora.ok) return fail(broken(`${file}: ${corpora.error}`));
  const embedder = await embedderFor(workspace.value, flags.embedder as EmbedderName | undefined);
  if (!embedder.ok) return embedder;
  const options: EvaluateOptions = {
    ...(flags.channels ? { signals: flags.channels as Signal[] } : {}),
    ...(flags.limit === undefined ? {} : { limit: flags.limit }),
    ...(embedder.value ? { embedder: embedder.value } : {}),
  };
  const all = await evaluate(corpora.value, options);
  if (!flags.ablate) return ok({ data: all, text: evaluationText(all) });
  const used = options.signals ?? SIGNALS;
  const without = [];
  for (const signal of used) {
    const rest = await evaluate(corpora.value, { ...options, signals: used.filter((s) => s !== signal) });
    without.push({ signal, evaluation: rest });
  }
  return ok({ data: { all, without }, text: ablationText(all, without) });
}

function read(path: string): Result<string, Failure> {
  try {
    return ok(readFileSync(path, "utf8"));
  } catch (error) {
    return fail(broken(`${path} cannot be read: ${systemReason(error)}.`));
  }
}

const broken = (what: string): Failure => ({
  code: "bad_file",
  what,
  data: "Nothing was measured.",
  next: "A line is one corpus: {documents: [{id, text, …}], questions: [{text, relevant: [id]}]}.",
  exit: 1,
});

/** Nobody is called unless he was named. */
async function embedderFor(
  workspace: Workspace,
  name: EmbedderName | undefined,
): Promise<Result<Embedder | undefined, Failure>> {
  if (name === "none") return ok(undefined);
  const settings = embedderSettings(workspace, false);
  if (!settings) return ok(undefined);
  const chosen = await chooseEmbedder({ ...settings, embedder: name ?? "static" });
  if (chosen.embedder || name === undefined) return ok(chosen.embedder);
  return fail({ ...broken(chosen.notes.join("; ")), code: "no_embedder", next: "Use another --embedder." });
}
