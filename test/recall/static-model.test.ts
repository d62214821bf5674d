// R48 through the front door: word vectors become a model, and a search by meaning then needs no service.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newPlace, run } from "../tool/everlong.ts";

it("R47, R48 recall --build-static SRC DIR makes a model that eval recall finds meanings with", async () => {
  const place = newPlace();
  mkdirSync(place.folder, { recursive: true });
  const at = (name: string) => join(place.folder, name);
  writeFileSync(at("toy.vec"), "zorp 1 0 0\nquib 0.95 0.05 0\nlamp 0 1 0\nchair 0 0 1\n");
  writeFileSync(
    at("set.json"),
    JSON.stringify({
      documents: ["lamp", "chair", "quib", "lamp chair"].map((text, i) => ({ id: `${i}`, text })),
      questions: [{ text: "zorp", relevant: ["2"] }],
    }),
  );
  const built = await run(place, ["recall", "--build-static", at("toy.vec"), at("model")]);
  expect([built.code, built.stdout]).toEqual([0, expect.stringContaining("Made toy with 4 rows of 3 numbers.")]);
  const measure = async (...args: string[]) =>
    JSON.parse((await run(place, ["eval", "recall", at("set.json"), ...args, "--json"])).stdout).ours.mrr;
  await run(place, ["settings", "set", "recall.static.dir", at("model")]);
  expect(await measure("--embedder", "none"), "no word in common").toBe(0);
  expect(await measure("--embedder", "static")).toBe(1);

  writeFileSync(at("bad.vec"), "zorp 1 0\nquib 1\n");
  const bad = await run(place, ["recall", "--build-static", at("bad.vec"), at("other")]);
  expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining("line 2: 1 numbers, not 2")]);
  expect(existsSync(at("other"))).toBe(false);
  expect((await run(place, ["recall", "--build-static", at("toy.vec")])).code).toBe(2);
});
