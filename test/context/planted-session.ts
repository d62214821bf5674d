// Long sessions with planted constraints, decisions, edits and failures, and how much of them a text still carries.
import type { ContextItem } from "../../src/schema/context-item.ts";
import type { Message } from "../../src/schema/message.ts";

type Item = ContextItem<Message>;
export type PlantKind = "constraint" | "decision" | "edit" | "failure";
/** `signs`: the plant is carried when one text holds all of them on one line. */
export type Plant = { kind: PlantKind; turn: number; signs: string[] };
export type PlantedSession = { items: Item[]; plants: Plant[] };

const THINGS = ["billing", "search", "login", "export", "upload", "report", "invoice", "session", "avatar", "queue"];
const CONSTRAINTS: ((thing: string, n: number) => string)[] = [
  (thing, n) => `Never touch the folder vendor/${thing}-${n}, the licence forbids it.`,
  (thing, n) => `All responses of the ${thing} service must stay under ${100 + n} ms.`,
  (thing, n) => `Don't use the library fast-${thing}-${n} anywhere.`,
  (thing, n) => `From now on every ${thing} change needs a note in CHANGES-${n}.md.`,
  (thing, n) => `Remember: the ${thing} deploy window is at ${n % 24}:15 UTC.`,
  (thing, n) => `Use tabs of width ${n} in the ${thing} templates.`,
  (thing, n) => `Die Spalte ${thing}_${n} darf nicht umbenannt werden.`,
  (thing, n) => `请勿修改 ${thing}-${n} 的接口。`,
];
const DECISIONS: ((thing: string, n: number) => string)[] = [
  (thing, n) => `We decided to keep the ${thing} cache at ${n} entries.`,
  (thing, n) => `Let's use queue-${n} for ${thing} instead of cron.`,
  (thing, n) => `I agreed with Ottoline that ${thing} moves to region eu-${n}.`,
  (thing, n) => `No, ${thing} is wrong there: the port is ${8_000 + n}.`,
];
const ASKS = ["Go on with", "Look into", "Why is this slow:", "Clean up", "Can you check", "Write the next part of"];

/** Deterministic: equal numbers give equal sessions. */
export function plantedSession(turns: number, seed = 7): PlantedSession {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const pick = <T>(list: readonly T[]): T => list[next(list.length)] as T;
  const items: Item[] = [];
  const plants: Plant[] = [];
  const add = (turn: number, raw: Message, isPrompt = false): void => {
    items.push({
      ...{ id: `e${items.length}`, role: raw.role, kind: "message", isPrompt, turn, tokens: 0, raw },
      toolCallIds: raw.role === "assistant" ? raw.toolRequests.map((call) => call.toolCallId) : [],
      toolResultFor: raw.role === "tool" ? [raw.toolCallId] : [],
    });
  };
  const call = (turn: number, name: string, args: object, content: string, isError = false): void => {
    const toolCallId = `c${items.length}`;
    add(turn, { role: "assistant", content: "", toolRequests: [{ toolCallId, name, arguments: args }] });
    add(turn, { role: "tool", toolCallId, toolName: name, content, isError });
  };
  for (let turn = 1; turn <= turns; turn++) {
    const thing = pick(THINGS);
    const said = [`${pick(ASKS)} the ${thing} part.`];
    const plant = (kind: "constraint" | "decision", text: string): void => {
      said.push(text);
      plants.push({ kind, turn, signs: [text] });
    };
    if (turn % 6 === 1) plant("constraint", pick(CONSTRAINTS)(thing, turn));
    if (turn % 9 === 2) plant("decision", pick(DECISIONS)(thing, turn));
    if (turn % 4 === 0) said.push(`Here is what I saw:\n\`\`\`\n${noise(turn, 30)}\n\`\`\``);
    add(turn, { role: "user", content: said.join(" ") }, true);
    call(turn, "bash", { command: `cat src/${thing}/old-${turn}.ts` }, noise(turn, 40 + next(40)));
    call(turn, "grep", { pattern: thing, path: "src" }, noise(turn + 500, 20));
    if (turn % 5 === 0) {
      const path = `src/${thing}/part-${turn}.ts`;
      call(turn, pick(["edit", "create"]), { path, old_str: "a", new_str: "b\nc" }, `Changed ${path}`);
      plants.push({ kind: "edit", turn, signs: [`src/${thing}/`, `part-${turn}.ts`] });
    }
    if (turn % 7 === 3) {
      const command = `npm test -- test/${thing}-${turn}.test.ts`;
      call(turn, "bash", { command }, `${noise(turn, 15)}\nError: expected ${turn} to be ${turn + 1}\nexit code: 1`);
      // Every other one is repaired: it must not be told as failing any more, and does not count as planted.
      if (next(2) === 0) call(turn, "bash", { command: `${command} 2>&1 | tail -5` }, "1 passed\nexit code: 0");
      else plants.push({ kind: "failure", turn, signs: [command, `expected ${turn} to be`] });
    }
    add(turn, { role: "assistant", content: `The ${thing} part is as far as it can be for now.`, toolRequests: [] });
  }
  return { items, plants };
}

function noise(seed: number, lines: number): string {
  return Array.from(
    { length: lines },
    (_, at) => `const value_${seed}_${at} = compute(${seed * 31 + at}, "x${at}");`,
  ).join("\n");
}

/** Of each kind the part that the text still holds. */
export function carriedShare(text: string, plants: readonly Plant[]): Record<PlantKind, number> {
  const lines = text.split("\n");
  const share = (kind: PlantKind): number => {
    const own = plants.filter((plant) => plant.kind === kind);
    const held = own.filter(({ signs }) => lines.some((line) => signs.every((sign) => line.includes(sign))));
    return own.length === 0 ? 1 : held.length / own.length;
  };
  return {
    constraint: share("constraint"),
    decision: share("decision"),
    edit: share("edit"),
    failure: share("failure"),
  };
}
