// What a compaction message carries beside the summary: the prompts of the whole session, plan, todos, skills.
import type { Carried, InvokedSkill, OriginalPrompt } from "../context/compact/carried.ts";
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
  return {
    prompts,
    plan: parts.planText(),
    todos: [...state.todos.values()],
    skills,
    recallOn: parts.context().recallOn,
  };
}
