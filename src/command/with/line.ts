// Which words of `everlong with` are ours and which are the agent's.
import { rowOf } from "./agents.ts";
import type { WithLine } from "./command.ts";

const OURS = ["--print", "--json"];

export function withLine(words: readonly string[]): WithLine {
  const from = words.findIndex((word) => !OURS.includes(word));
  const start = from < 0 ? words.length : from;
  const [agent = "", ...args] = words.slice(start);
  const before = words.slice(0, start);
  // `with codex --print`: nothing else was said, and the agent has no such flag.
  const own = rowOf(agent, args)?.ownFlags ?? [];
  const behind = args.length > 0 && args.every((word) => OURS.includes(word) && !own.includes(word));
  const flags = behind ? [...before, ...args] : before;
  return { agent, args: behind ? [] : args, print: flags.includes("--print"), json: flags.includes("--json") };
}
