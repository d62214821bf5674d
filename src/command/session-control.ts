// `everlong sessions send|stop|compact`: reach a session that another terminal has open.

import { home } from "../runtime/client.ts";
import type { SessionControl } from "../schema/session-control.ts";
import { type Command, type CommandOutcome, describe } from "./contract.ts";

async function reach(id: string, control: SessionControl): Promise<CommandOutcome> {
  // It has its own limits, and whoever loses patience ends this process.
  const { signal } = new AbortController();
  return describe(await home.sessions.control(id, control, signal), ({ text, returned = [] }) =>
    [text, ...returned.map((message) => `Not sent any more: ${message}`)].join("\n"),
  );
}

export const sessionControls: readonly Command[] = [
  {
    name: "send",
    summary: "send a message to a session that is open elsewhere",
    arguments: "<id> <text...>",
    run: ({ args: [id = "", ...words] }) => reach(id, { action: "message", text: words.join(" ") }),
  },
  {
    name: "stop",
    summary: "stop the running turn, or one task, of a session that is open elsewhere",
    arguments: "<id> [task]",
    run: ({ args: [id = "", task] }) =>
      reach(id, task === undefined ? { action: "stop" } : { action: "stop-task", task }),
  },
  {
    name: "compact",
    summary: "compact a session that is open elsewhere",
    arguments: "<id> [focus...]",
    run: ({ args: [id = "", ...focus] }) =>
      reach(id, { action: "compact", ...(focus.length > 0 ? { focus: focus.join(" ") } : {}) }),
  },
];
