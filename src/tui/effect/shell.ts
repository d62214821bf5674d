// `!command`: runs in the user's shell; its output is shown, and goes to the model with the next message.
import type { App } from "../loop/app.ts";

let running: AbortController | undefined;
/** Output that the model has not seen yet. */
let unsent: string[] = [];

export function stopShell(): void {
  running?.abort();
}

/** What the next message brings along; it is then told. */
export function takeShellOutput(): string | undefined {
  const text = unsent.join("\n\n");
  unsent = [];
  return text === "" ? undefined : text;
}

export async function runShell(app: App, command: string, isSilent: boolean): Promise<void> {
  const client = await app.client();
  const controller = new AbortController();
  running = controller;
  app.dispatch({ type: "shell", shell: { command, isShared: !isSilent, since: Date.now(), output: "" } });
  const leaveFront = (): void => {
    if (running !== controller) return;
    running = undefined;
    app.dispatch({ type: "shell", shell: undefined });
  };
  const onMoved = (): void => {
    leaveFront();
    if (!isSilent)
      unsent.push(`The user runs this in the background: ${command}\nYou get its output when it has ended.`);
  };
  const onOutput = (text: string): void => {
    if (running === controller) app.dispatch({ type: "shellOutput", text });
  };
  const end = await client
    .shell({ command, isShared: !isSilent, signal: controller.signal, onOutput, onMoved })
    .finally(leaveFront);
  const exit = end.error ?? (end.stopped ? "stopped" : end.code === 0 ? "" : `exited with code ${end.code}`);
  const output = [end.output.trimEnd(), ...(exit === "" ? [] : [`(${exit})`])].filter(Boolean).join("\n");
  await client.recordCommand(isSilent ? "!!" : "!", command, end.code === 0, output);
  if (!isSilent) unsent.push(`The user ran: ${command}\n${output}`);
}
