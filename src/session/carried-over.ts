// What a compaction message carries beside the summary: the prompts of the whole session, its ledger, plan, todos, skills.
import type { Carried, InvokedSkill, OriginalPrompt } from "../context/compact/carried.ts";
import { happeningsOfEvents } from "../context/ledger/from-log.ts";
import { refText } from "../context/ledger/happening.ts";
import { emptyLedger, foldLedger } from "../context/ledger/ledger.ts";
import { ledgerEntries } from "../context/ledger/render.ts";
import { refPrefix } from "./ref.ts";
import type { Session } from "./session.ts";

export function carriedOver(session: Session): Carried {
  const { state, parts } = session;
  const prompts: OriginalPrompt[] = [];
  const skills: InvokedSkill[] = [];
  for (const event of state.chain) {
    if (event.agentId !== undefined) continue;
    if (event.type === "user.message" && event.data.ref) {
      prompts.push({ id: event.id, turn: Number(event.data.ref.slice(1)), text: event.data.content });
    } else if (event.type === "skill.invoked") skills.push(event.data);
  }
  const ledger = foldLedger(
    emptyLedger(),
    happeningsOfEvents(state.chain, (id) => state.refs.get(id)),
  );
  const setIn = new Map(ledger.todos.map((todo) => [todo.id, refText(todo)]));
  return {
    prompts,
    plan: parts.context.planText(),
    todos: [...state.todos.values()].map((todo) => ({ ...todo, ref: setIn.get(todo.id) })),
    // The todos have a part of their own.
    ledger: ledgerEntries({ ...ledger, todos: [] }),
    skills,
    agent: parts.context.activeAgent?.(),
    pinned: parts.context.pinned?.(),
    recallOn: parts.context.settings().recallOn,
    refPrefix: refPrefix(session.agentId),
  };
}
