// Runs all hooks of one moment, one after another, and makes one outcome of their answers. Soft, never silent.
import type { Clock } from "../base/clock.ts";
import { errorText } from "../base/failure.ts";
import type { MakeId } from "../base/id.ts";
import { optional } from "../base/optional.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { factsOf } from "../schema/own-tool.ts";
import { cutValues, type EmitHook } from "./event.ts";
import type { Hook } from "./hook.ts";
import { type HookContext, type Payload, payloadOf, spokenTo } from "./input.ts";
import { type HookOutcome, mergeOutput, noOutcome } from "./merge.ts";
import { type HookInputs, type HookName, SUBJECT } from "./name.ts";
import { blockingOutput, type HookOutput, parseOutput } from "./output.ts";
import { type PayloadRedactor, type RedactedPayload, redactValue } from "./redact.ts";
import { type CommandParts, runCommand } from "./run-command.ts";
import { type HttpParts, runHttp } from "./run-http.ts";

export type HookParts = {
  /** The hooks in the order in which they run. */
  hooks: () => readonly Hook[];
  command: CommandParts;
  /** What a project's hook file starts, if that is not any more as it was trusted. */
  changedStart: (source: string) => string | undefined;
  http: HttpParts;
  redact: PayloadRedactor;
  emit: EmitHook;
  /** Called once for each hook and reason. */
  warn: (message: string) => void;
  newId: MakeId;
  clock: Pick<Clock, "now" | "monotonic">;
};

export type LastHookRun = { success: boolean; error?: string; durationMs: number; at: string };

export type HookRunner = {
  /** Never rejects for what a hook does. `context.agent` in a subagent. */
  run: <N extends HookName>(
    name: N,
    input: HookInputs[N],
    context: HookContext,
    signal: AbortSignal,
  ) => Promise<HookOutcome>;
  /** How the hook with this id ended the last time. */
  lastRun: (id: string) => LastHookRun | undefined;
};

/** How each hook ended the last time, by its id, and what was warned about: both outlast a runner. */
export type HookHistory = { last: Map<string, LastHookRun>; warned: Set<string> };

export function createHookRunner(parts: HookParts, { last, warned }: HookHistory): HookRunner {
  async function runOne(hook: Hook, payload: Payload, agentId: string | undefined, signal: AbortSignal) {
    const { value: shown, restore } = redactValue(payload, parts.redact);
    const about = { hookInvocationId: parts.newId(), hookType: hook.name, source: hook.source };
    const startedAt = parts.clock.monotonic();
    await parts.emit("hook.start", { ...about, input: cutValues(shown) }, agentId);
    const reply = await answer(hook, JSON.stringify(spokenTo(hook, shown)), parts, signal);
    const answered = reply.ok ? withSecrets(reply.value, restore) : reply;
    const durationMs = Math.round(parts.clock.monotonic() - startedAt);
    const ended = answered.ok ? { success: true } : { success: false, error: answered.error };
    const output = redactValue(reply.ok ? reply.value : {}, parts.redact).value;
    await parts.emit("hook.end", { ...about, output: cutValues(output), ...ended, durationMs }, agentId);
    last.set(hook.id, { ...ended, durationMs, at: parts.clock.now() });
    return answered;
  }

  function warnOnce(hook: Hook, reason: string): void {
    const message = `The ${hook.name} hook ${hook.id} failed: ${reason}.`;
    if (!warned.has(message)) parts.warn(message);
    warned.add(message);
  }

  async function run<N extends HookName>(name: N, input: HookInputs[N], context: HookContext, signal: AbortSignal) {
    let outcome = noOutcome;
    for (const hook of parts.hooks()) {
      if (hook.name !== name || hook.off !== undefined) continue;
      const payload = payloadOf(name, changed(input, outcome), context, parts.clock.now());
      if (!matches(hook, payload)) continue;
      const ended = await runOne(hook, payload, context.agent?.agentId, signal);
      if (ended.ok) outcome = mergeOutput(outcome, hook, ended.value);
      else {
        warnOnce(hook, ended.error);
        const output = name === "preToolUse" && hook.onError === "deny" ? guardFailed(hook, ended.error) : {};
        outcome = mergeOutput(outcome, hook, output);
        outcome = { ...outcome, failures: [...outcome.failures, { hook: hook.id, reason: ended.error }] };
      }
    }
    return outcome;
  }

  return { run, lastRun: (id) => last.get(id) };
}

/** The next hook sees what the one before made of it. */
function changed(input: object, { modifiedArguments, modifiedPrompt }: HookOutcome): object {
  if (modifiedArguments) return { ...input, toolArgs: modifiedArguments };
  return modifiedPrompt === undefined ? input : { ...input, prompt: modifiedPrompt };
}

/** What stands in for the model's or the person's own words needs their secrets; all else that it says is shown. */
function withSecrets(output: HookOutput, restore: RedactedPayload<unknown>["restore"]): Result<HookOutput, string> {
  const { modifiedArguments, modifiedPrompt, ...rest } = output;
  const restored = restore({
    ...optional("modifiedArguments", modifiedArguments),
    ...optional("modifiedPrompt", modifiedPrompt),
  });
  return restored.ok ? ok({ ...rest, ...restored.value }) : restored;
}

/** A guard that cannot do its work lets nothing pass. */
const guardFailed = (hook: Hook, reason: string): HookOutput => ({
  permissionDecision: "deny",
  permissionDecisionReason: `the hook ${hook.id} failed: ${reason}`,
});

async function answer(
  hook: Hook,
  payload: string,
  parts: HookParts,
  signal: AbortSignal,
): Promise<Result<HookOutput, string>> {
  if (hook.type === "prompt") return ok({ additionalContext: hook.prompt });
  const changed = hook.layer === "project" && hook.type === "command" ? parts.changedStart(hook.source) : undefined;
  if (changed !== undefined)
    return fail(
      `it starts ${changed}, which changed since this folder was trusted; look at it, then run everlong trust`,
    );
  try {
    const ran =
      hook.type === "command"
        ? await runCommand(hook, payload, parts.command, signal)
        : await runHttp(hook, payload, parts.http, signal);
    if (!ran.ok) return ran;
    if (ran.value.type === "output") return parseOutput(hook.name, ran.value.text);
    return ok(blockingOutput(hook.name, ran.value.reason || `${hook.id} said no without a reason`));
  } catch (error) {
    // A bug of ours in running a hook must still count as its failure: a guard must not let pass because of it.
    return fail(errorText(error));
  }
}

/** Whether a hook is meant: its matcher held against the subject of the moment. */
function matches(hook: Pick<Hook, "name" | "alias" | "matcher">, payload: Payload): boolean {
  const { matcher } = hook;
  const field = SUBJECT[hook.name];
  if (!matcher || !field) return true;
  const subject = String(payload[field] ?? "");
  if (matcher.test(subject)) return true;
  // A hook written for another agent names our tools in that agent's words.
  return (
    hook.alias !== undefined &&
    field === "toolName" &&
    (factsOf(subject)?.aliases ?? []).some((name) => matcher.test(name))
  );
}
