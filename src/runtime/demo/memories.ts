// What the demo's week taught: memories with their citations and votes, the board, facts of which one changed, an inbox.

import type { FilteredEntry } from "../../agent/inbox/entry.ts";
import { inboxStore } from "../../agent/inbox/store.ts";
import { systemClock } from "../../base/clock.ts";
import type { Failure } from "../../base/failure.ts";
import { newId } from "../../base/id.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { checkItem } from "../../memory/board/check.ts";
import { putItem } from "../../memory/board/store.ts";
import { embeddedStrategy } from "../../memory/record/embedded/strategy.ts";
import { newMemoryId } from "../../memory/record/id.ts";
import { storeRecord } from "../../memory/record/store.ts";
import { voteOn } from "../../memory/record/vote.ts";
import type { WriteParts } from "../../memory/record/write-contract.ts";
import { embeddedStore } from "../../store/embedded-store.ts";
import type { Database } from "../../store/sqlite.ts";
import type { GraphAccess } from "../client/graph.ts";
import { LOCAL_USER } from "../memory/strategy.ts";
import { redactorOf, secretKey, type Workspace } from "../workspace.ts";
import { BOARD, BRANCH, FACTS, MEMORIES, NOTES, REPOSITORY } from "./story.ts";

const HOUR_MS = 3_600_000;
const place = { repository: REPOSITORY, user: LOCAL_USER };
const user = { kind: "user", id: LOCAL_USER, name: "you" } as const;
const signal = new AbortController().signal;

export async function writeMemories(workspace: Workspace, db: Database, now: number, session: string): Promise<void> {
  for (const { fact, subject, cite, hoursAgo, pending } of MEMORIES) {
    const clock = { ...systemClock, now: () => new Date(now - hoursAgo * HOUR_MS).toISOString() };
    const strategy = embeddedStrategy({
      ...{ open: async () => ok(db), hashKey: secretKey(workspace.paths.home), user: LOCAL_USER, clock },
      redact: workspace.redact,
    });
    const parts: WriteParts = {
      client: () => ({ type: "ready", strategy }),
      ...{ redactor: redactorOf(workspace), newId: () => newMemoryId(), clock },
      settings: () => ({ userScope: true, maxStores: Number.POSITIVE_INFINITY }),
    };
    const stored = await storeRecord(
      parts,
      {
        input: {
          subject,
          fact,
          citations: [cite],
          reason: `It came up while working on ${subject}.`,
          scope: "repository",
        },
        ...{ place, source: { client: "session", sessionId: session, model: "offline" } },
        author: pending ? { kind: "agent", id: "main", name: "everlong" } : user,
        origins: () => [{ kind: pending ? "assistant" : "user" }],
        ...(pending ? { ask: async () => ({ type: "pending" }) as const } : {}),
      },
      signal,
    );
    if (stored.type !== "stored" || hoursAgo < 90) continue;
    const ballot = { input: { fact, direction: "upvote", reason: "It was right again." }, id: stored.record.id, place };
    const source = { client: "session" };
    await voteOn(parts, { ...ballot, source, actor: { key: `user:${LOCAL_USER}`, kind: "user" } }, signal);
  }
}

export async function writeBoard(workspace: Workspace, db: Database, now: number): Promise<Result<void, Failure>> {
  for (const { src, hoursAgo, ...text } of BOARD) {
    const checked = checkItem(redactorOf(workspace), text);
    if (!checked.ok) return fail({ code: "demo_failed", what: checked.error.message, exit: 1 });
    const at = new Date(now - hoursAgo * HOUR_MS).toISOString();
    const board = { repository: REPOSITORY, branch: BRANCH };
    const put = await putItem(
      embeddedStore(db),
      board,
      { src, text: checked.value.text, at },
      { actor: src, source: {} },
    );
    if (!put.ok) return put;
  }
  return ok(undefined);
}

/** In the order in which they became true: the second place of work ends the first. */
export async function writeFacts(graph: GraphAccess, now: number): Promise<Result<void, Failure>> {
  for (const { subject, relation, object, text, daysAgo } of FACTS.toSorted((a, b) => b.daysAgo - a.daysAgo)) {
    const validAt = new Date(now - daysAgo * 24 * HOUR_MS).toISOString();
    const added = await graph.add({ subject, relation, object, fact: text, validAt }, {});
    if (!added.ok) return added;
  }
  const promoted = await graph.promote({
    kind: "decision",
    scope: "workspace",
    text: "Sessions are stored in PostgreSQL.",
  });
  return promoted.ok ? ok(undefined) : promoted;
}

export async function writeInbox({ paths, redact }: Workspace, session: string, now: number): Promise<void> {
  const store = inboxStore(paths.session(session).db);
  for (const [i, { summary, content, hoursAgo }] of NOTES.entries()) {
    const sentAt = new Date(now - hoursAgo * HOUR_MS).toISOString();
    const entry = {
      ...{
        id: `subconscious-agent-${newId()}`,
        recipientSessionId: session,
        senderId: `sidekick-subconscious-agent-${now}`,
      },
      ...{ senderName: "subconscious-agent", senderType: "sidekick", interactionId: newId(), sequence: i + 1 },
      ...{ summary: redact(summary), content: redact(content), unread: i > 0, sentAt },
      ...{ readAt: i > 0 ? null : sentAt, notifiedAt: sentAt },
    } as FilteredEntry;
    await store.add(entry, () => true);
  }
}
