// `everlong recall --build-static SRC DIR`: word vectors become a model that works without any service.
import { resolve } from "node:path";
import { fail } from "../../base/result.ts";
import { type BuiltStatic, buildStatic } from "../../memory/recall/embed/build-static.ts";
import type { ResultPromise } from "../client/open.ts";

export async function buildStaticModel(source: string, dir: string): ResultPromise<BuiltStatic & { dir: string }> {
  const built = await buildStatic(resolve(source), resolve(dir));
  if (built.ok) return { ok: true, value: { ...built.value, dir: resolve(dir) } };
  return fail({
    code: "bad_file",
    what: `No model could be made from ${source}: ${built.error}.`,
    data: "Nothing was changed.",
    next: "Give word vectors as text (a word and its numbers in each line) or a model2vec folder, and a new folder.",
    exit: 1,
  });
}
