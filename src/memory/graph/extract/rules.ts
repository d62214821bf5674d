// The rules as an extractor: no model, no network, always there.
import type { Extractor } from "../ingest.ts";
import { extractFacts } from "./extract.ts";

export const rulesExtractor: Extractor = {
  origin: "rule",
  batch: 16,
  extract: async (episodes) =>
    episodes.map(({ text, roleType, role, validAt }) =>
      extractFacts({ text, role: roleType, at: validAt, ...(role === null ? {} : { speaker: role }) }),
    ),
};
