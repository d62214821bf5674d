// Which function response of a Gemini history answers which call: by id where there are ids, else by name and order.
import { isRecord } from "../../../base/json.ts";
import { recordsIn, stringAt } from "../item.ts";

export type GeminiPairs = {
  /** Call ids by position of the content, one for each call; made up where the wire has none. */
  calls: Map<number, string[]>;
  /** Ids of the answered calls by position of the content, each once. */
  responses: Map<number, string[]>;
  /** Parts that answer a call which has its answer already. */
  doubled: Set<unknown>;
};
type Call = { key: string; id: string | undefined; answered: boolean };

const keys = new WeakMap<object, string>();

/** The call that a response part answered when its history was last paired. */
export const answeredCall = (part: object): string | undefined => keys.get(part);

/** Makes a changed copy of a response part answer what the part answered. */
export function standsFor<Part extends object>(copy: Part, part: object): Part {
  const key = keys.get(part);
  if (key !== undefined) keys.set(copy, key);
  return copy;
}

export function pairGemini(contents: readonly unknown[]): GeminiPairs {
  const pairs: GeminiPairs = { calls: new Map(), responses: new Map(), doubled: new Set() };
  const calls = new Calls();
  for (const [index, content] of contents.entries()) {
    const parts = isRecord(content) ? recordsIn(content["parts"]) : [];
    for (const [at, part] of parts.entries()) {
      const { functionCall, functionResponse } = part;
      if (isRecord(functionCall)) add(pairs.calls, index, calls.called(functionCall, index, at).key);
      if (!isRecord(functionResponse)) continue;
      const call = calls.answeredBy(functionResponse);
      if (call?.answered) pairs.doubled.add(part);
      if (call) call.answered = true;
      const key = call?.key ?? `no call ${index}.${at}`;
      keys.set(part, key);
      add(pairs.responses, index, key);
    }
  }
  return pairs;
}

class Calls {
  #byId = new Map<string, Call>();
  /** Calls of the newest content, by name, that were not answered when last looked at, oldest first. */
  #open = new Map<string, Call[]>();
  #latest = new Map<string, Call>();
  #content = -1;

  /** A later content with calls ends the wait for answers to earlier ones: the wire wants them right behind their calls. */
  called(functionCall: Record<string, unknown>, index: number, at: number): Call {
    if (index !== this.#content) this.#open.clear();
    this.#content = index;
    const id = stringAt(functionCall, "id");
    const name = stringAt(functionCall, "name") ?? "";
    const call = { key: id ?? `call ${index}.${at}`, id, answered: false };
    if (id !== undefined) this.#byId.set(id, call);
    const open = this.#open.get(name) ?? [];
    open.push(call);
    this.#open.set(name, open);
    this.#latest.set(name, call);
    return call;
  }

  /** The call of that id; else the first open one of that name, else the latest, of which it is a double. */
  answeredBy(functionResponse: Record<string, unknown>): Call | undefined {
    const id = stringAt(functionResponse, "id");
    const name = stringAt(functionResponse, "name") ?? "";
    const named = id === undefined ? undefined : this.#byId.get(id);
    if (named) return named;
    const open = (this.#open.get(name) ?? []).filter((call) => !call.answered);
    this.#open.set(name, open);
    return [...open, this.#latest.get(name)].find((call) => call && (call.id === undefined || id === undefined));
  }
}

function add(map: Map<number, string[]>, index: number, key: string): void {
  const names = map.get(index) ?? [];
  if (!names.includes(key)) names.push(key);
  map.set(index, names);
}
