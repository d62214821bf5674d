// Memories that wait for the user: accept, replace, reject.

import { commandUsage } from "../../base/failure.ts";
import { fail } from "../../base/result.ts";
import type { MemoryAccess, MemoryChoice, MemoryRecord, Resolution } from "../../runtime/client/memory.ts";
import { originsText } from "../../schema/permission.ts";
import { type CommandOutcome, describe, output } from "../contract.ts";
import { scopeText } from "./text.ts";
import type { MemoryVerbCall } from "./verb.ts";

type Options = MemoryChoice & { accept?: string; reject?: string; replace?: string; old?: string; json?: boolean };

const usage = (what: string, next: string) => fail(commandUsage(what, next));

/** Without a flag: those that wait, one after another where somebody can answer. */
export async function review({ memory, options, at: { person } }: MemoryVerbCall<Options>): Promise<CommandOutcome> {
  const may = memory.mayChange(false);
  if (!may.ok) return may;
  const { accept, reject, replace, old, json, ...choice } = options;
  const named = [accept, reject, replace].filter((one) => one !== undefined);
  if (named.length > 1) return usage("Use only one of --accept, --replace and --reject.", "Run it once for each.");
  if (accept !== undefined) return resolve(memory, accept, { how: "accept" }, choice);
  if (reject !== undefined) return resolve(memory, reject, { how: "reject" }, choice);
  if (replace !== undefined) {
    if (old === undefined)
      return usage("--replace needs --old ID, the memory to replace.", "everlong memory search finds it.");
    return resolve(memory, replace, { how: "replace", old }, choice);
  }
  const page = await memory.list(choice, { status: "pending" });
  if (!page.ok) return page;
  const { records } = page.value;
  if (records.length === 0) return output("No memories to review.", []);
  if (person.ask && !json) return walk(memory, records, choice, (question) => person.ask?.(question));
  return output(`${records.map(pendingText).join("\n\n")}\n\n${HOW}`, records);
}

const HOW =
  "They are not used until you decide: everlong memory review --accept ID | --replace ID --old ID | --reject ID";

/** Whole, with what its words come from: that is what is decided on. */
function pendingText(record: MemoryRecord): string {
  const { id, subject, fact, reason, citations, source } = record;
  const call = [source.sessionId, source.turnId, source.toolCallId].filter(Boolean).join(" ");
  return [
    `${id}  ${scopeText(record)}  ${subject}`,
    `  fact: ${fact}`,
    ...citations.map(({ raw }) => `  cited: ${raw}`),
    `  reason: ${reason}`,
    `  from: ${originsText(source.origins)} by ${source.client}${call === "" ? "" : `, ${call}`}`,
  ].join("\n");
}

async function walk(
  memory: MemoryAccess,
  records: readonly MemoryRecord[],
  choice: MemoryChoice,
  ask: (question: string) => Promise<string | undefined> | undefined,
): Promise<CommandOutcome> {
  const lines: string[] = [];
  for (const record of records) {
    const answer = (await ask(`${pendingText(record)}\naccept, reject, replace ID, or Enter for later: `))?.trim();
    if (answer === undefined) break;
    const [verb = "", old = ""] = answer.split(/\s+/);
    const how: Resolution | undefined =
      verb === "accept" || verb === "reject" ? { how: verb } : verb === "replace" ? { how: verb, old } : undefined;
    const outcome = how && (await resolve(memory, record.id, how, choice));
    lines.push(outcome === undefined ? `${record.id} waits.` : outcome.ok ? outcome.value.text : outcome.error.what);
  }
  return output(lines.join("\n"));
}

const resolve = async (
  memory: MemoryAccess,
  wanted: string,
  resolution: Resolution,
  choice: MemoryChoice,
): Promise<CommandOutcome> =>
  describe(await memory.resolve(wanted, resolution, choice), ({ id, old = "" }) => RESOLVED[resolution.how](id, old));

const RESOLVED = {
  accept: (id: string) => `Accepted ${id}. It is used from the next session.`,
  replace: (id: string, old: string) => `Accepted ${id}. It supersedes ${old}, which is kept.`,
  reject: (id: string) => `Rejected ${id} and deleted its text.`,
};
