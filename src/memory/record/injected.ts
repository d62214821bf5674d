// The injected strategy, for tests: its prompt comes from a setting, what is stored lives as long as the session.
import type { Clock } from "../../base/clock.ts";
import type { Ballot, Direction, MemoryRecord, Strategy } from "./contract.ts";
import { CANCELLED } from "./failure.ts";
import { fold } from "./fold.ts";
import { newRecord } from "./new-record.ts";
import { storeDefinition, voteDefinition } from "./tool/definition.ts";

export function injectedStrategy(parts: { prompt: string; votes: boolean; clock: Clock }): Strategy {
  const records = new Map<string, MemoryRecord>();
  const ballots = new Map<string, Map<string, Direction>>();
  const byFact = (fact: string): MemoryRecord | undefined =>
    [...records.values()].find((record) => fold(record.fact) === fold(fact));
  const lines = parts.prompt.split("\n").filter((line) => line.trim() !== "").length;
  const unsupported = async () => ({ type: "unsupported" }) as const;
  return {
    kind: "injected",
    supportsVoting: parts.votes,
    supportsScopes: true,
    async prompt() {
      const counts = { repository: lines, user: 0, total: lines, shown: lines };
      return {
        type: "prompted",
        answer: {
          enabled: true,
          prompt: lines > 0 ? parts.prompt : null,
          counts,
          stale: 0,
          storeInstructions: "",
          tools: { store: storeDefinition(true), ...(parts.votes ? { vote: voteDefinition() } : {}) },
        },
      };
    },
    async find(fact, { scope }) {
      const record = byFact(fact);
      if (record && (scope === undefined || record.scope === scope)) return { type: "found", record };
      // The facts of its prompt are only text: any of them may be voted on.
      return parts.prompt.includes(fold(fact)) && scope === undefined
        ? { type: "unsupported" }
        : { type: "absent", near: [] };
    },
    async store(draft, signal) {
      if (signal.aborted) return CANCELLED;
      const same = byFact(draft.fact);
      if (same && same.scope === draft.scope) return { type: "already_stored", id: same.id, status: same.status.type };
      const record = newRecord(draft, parts.clock.now());
      records.set(record.id, record);
      return { type: "stored", record };
    },
    async vote({ id, fact, actor, direction }: Ballot) {
      if (!parts.votes) return { type: "unsupported" };
      const record = id === undefined ? byFact(fact) : records.get(id);
      if (!record) return { type: "counted" };
      const votes = ballots.get(record.id) ?? new Map<string, Direction>();
      const changed = votes.get(actor.key) !== direction;
      ballots.set(record.id, votes.set(actor.key, direction));
      const up = [...votes.values()].filter((one) => one === "upvote").length;
      const voted = { ...record, votes: { up, down: votes.size - up, mine: null, disputed: false } };
      records.set(record.id, voted);
      return { type: "voted", record: voted, changed };
    },
    async list({ status: wanted }) {
      const listed = [...records.values()].filter(({ status }) => wanted?.includes(status.type) ?? true);
      return { type: "listed", records: listed };
    },
    async get(id) {
      const record = records.get(id);
      return record ? { type: "got", record } : { type: "not_found" };
    },
    edit: unsupported,
    delete: unsupported,
    resolve: unsupported,
    changes: unsupported,
    generation: () => undefined,
    async shutdown() {
      records.clear();
    },
  };
}
