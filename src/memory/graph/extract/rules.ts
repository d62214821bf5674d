// The rules as an extractor: no model, no network, always there.
import { paced } from "../../../base/pace.ts";
import type { Episode } from "../../../schema/graph.ts";
import type { Extractor } from "../ingest.ts";
import type { Extraction } from "./draft.ts";
import { readingOf } from "./extract.ts";

/** How long requests may wait for the thread while messages are read. */
const SLICE_MS = 2;

export const rulesExtractor: Extractor = {
  origin: "rule",
  batch: 64,
  async extract(episodes, signal) {
    const breathe = paced(SLICE_MS);
    const extractions: Extraction[] = [];
    for (const episode of episodes) {
      const reading = readingOf(messageOf(episode));
      let step = reading.next();
      for (; !step.done; step = reading.next()) {
        await breathe();
        signal.throwIfAborted();
      }
      extractions.push(step.value);
    }
    return extractions;
  },
};

const messageOf = ({ text, roleType, role, validAt }: Episode) => ({
  text,
  role: roleType,
  at: validAt,
  ...(role === null ? {} : { speaker: role }),
});
