// `!command`: runs in the user's shell; its output is shown, and goes to the model with the next message.
import type { Client } from "../../runtime/client.ts";
import type { ShellLine } from "../text/shell-line.ts";
import type { ScreenMessage } from "../update/message.ts";

let running: AbortController | undefined;
/** Output that the model has not seen yet. */
let unsent: string[] = [];

/** Gives whether one ran. */
export function stopShell(): boolean {
  running?.abort();
  return running !== undefined;
}

/** The message brings along what the model has not seen yet of the commands before it. */
export function sendMessage(client: Client, message: Parameters<Client["send"]>[0]): Promise<void> {
  const attached = unsent.join("\n\n");
  unsent = [];
  return client.send(message, attached === "" ? {} : { attached });
}

type Tell = (message: Extract<ScreenMessage, { type: "shell" | "shellOutput" }>) => void;

/** Resolves when it has ended or goes on in the background. `tell` hears that it runs, what it prints, and that it left the front. */
export function runShell(client: Client, line: ShellLine, tell: Tell): Promise<void> {
  return new Promise((resolve, reject) => {
    runToEnd(client, line, tell, resolve).then(resolve, reject);
  });
}

async function runToEnd(
  client: Client,
  { command, isSilent }: ShellLine,
  tell: Tell,
  moved: () => void,
): Promise<void> {
  const controller = new AbortController();
  running = controller;
  tell({ type: "shell", shell: { command, isShared: !isSilent, since: Date.now(), output: "" } });
  const leaveFront = (): void => {
    if (running !== controller) return;
    running = undefined;
    tell({ type: "shell", shell: undefined });
  };
  const onMoved = (): void => {
    leaveFront();
    moved();
    if (!isSilent)
      unsent.push(`The user runs this in the background: ${command}\nYou get its output when it has ended.`);
  };
  const onOutput = (text: string): void => {
    if (running === controller) tell({ type: "shellOutput", text });
  };
  const end = await client
    .shell({ command, isShared: !isSilent, signal: controller.signal, onOutput, onMoved })
    .finally(leaveFront);
  const exit = end.error ?? (end.stopped ? "stopped" : end.code === 0 ? "" : `exited with code ${end.code}`);
  const output = [end.output.trimEnd(), ...(exit === "" ? [] : [`(${exit})`])].filter(Boolean).join("\n");
  await client.recordCommand(isSilent ? "!!" : "!", command, end.code === 0, output);
  if (!isSilent) unsent.push(`The user ran: ${command}\n${output}`);
}
