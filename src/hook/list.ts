// The text of /hooks: every hook that was found, where it stands, whether it runs, how it ended the last time.
import type { Hook, HookOff } from "./hook.ts";
import type { LastHookRun } from "./run.ts";

const STATE: Record<HookOff | "on", string> = {
  on: "on",
  untrusted: "off: the folder is not trusted",
  changed: "off: its file changed since the folder was trusted",
  disabled: "off: disableAllHooks is set",
  refused: "off: its address is not allowed",
};

export function describeHooks(hooks: readonly Hook[], lastRun: (id: string) => LastHookRun | undefined): string {
  if (hooks.length === 0) return "No hooks.";
  return hooks.map((hook) => describeHook(hook, lastRun(hook.id))).join("\n");
}

function describeHook(hook: Hook, last: LastHookRun | undefined): string {
  const matcher = hook.matcher ? ` on ${hook.matcher.source.slice(4, -2)}` : "";
  const does = hook.type === "command" ? hook.command : hook.type === "http" ? hook.url : hook.prompt;
  const ended = !last ? "not run yet" : last.success ? `ok in ${last.durationMs} ms` : `failed: ${last.error}`;
  const line = does.replace(/\s+/g, " ").slice(0, 80);
  return `${hook.alias ?? hook.name}${matcher} [${STATE[hook.off ?? "on"]}] ${hook.type}: ${line}\n  ${hook.source}; ${ended}`;
}
