// The schema of store.db as data, oldest first; the queries belong to the rooms that own the tables.

import { boardSchema } from "./schema/board.ts";
import { graphEndingObjects, graphSchema } from "./schema/graph.ts";
import { importSchema } from "./schema/import.ts";
import { journalMarks, journalSchema } from "./schema/journal.ts";
import { memorySchema } from "./schema/memory.ts";
import { dashboardIndexes, observationSchema } from "./schema/observation.ts";
import { proxyChainWithoutTokens, proxyRequestOwners, proxySchema, proxyWindowGuesses } from "./schema/proxy.ts";
import {
  firstRecallSchema,
  recallErasure,
  recallScopesWithoutTenant,
  recallWaitingLeases,
  tombstoneSchema,
} from "./schema/recall.ts";
import { sessionSchema } from "./schema/session.ts";

export const storeMigrations: readonly string[] = [
  sessionSchema,
  firstRecallSchema,
  proxySchema,
  memorySchema,
  boardSchema,
  journalSchema,
  proxyWindowGuesses,
  recallErasure,
  journalMarks,
  graphSchema,
  proxyChainWithoutTokens,
  tombstoneSchema,
  importSchema,
  observationSchema,
  dashboardIndexes,
  recallScopesWithoutTenant,
  proxyRequestOwners,
  recallWaitingLeases,
  graphEndingObjects,
];
