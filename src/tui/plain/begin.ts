// Before a plain conversation: may this folder's own parts be loaded, may text leave the machine.
import { askTerminal } from "../../base/ask-terminal.ts";
import { askConsent } from "../../command/consent.ts";
import { trustFolder } from "../../command/trust.ts";
import { home, type OpenOptions } from "../../runtime/client.ts";

/** Nothing of the folder's own is loaded before the answer; without trust everything else works. */
export async function askTrust(): Promise<"go on" | "exit"> {
  const notice = await home.trustQuestion();
  if (!notice) return "go on";
  process.stdout.write(`${notice}\n  1. trust this folder\n  2. continue without\n  3. exit\n`);
  for (;;) {
    const answer = (await askTerminal("Your choice: "))?.trim();
    if (answer === "3" || answer === undefined) return "exit";
    if (answer === "2") return "go on";
    if (answer !== "1") continue;
    const outcome = await trustFolder();
    process.stdout.write(`${outcome.ok ? outcome.value.text : outcome.error.what}\n`);
    return "go on";
  }
}

/** Nothing is sent before the answer; without one everything else works. */
export async function askPendingConsent(open: Pick<OpenOptions, "flags" | "trustFolder">): Promise<void> {
  const question = await home.consent.question(open);
  if (!question) return;
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  const outcome = await askConsent(question, { print, ask: askTerminal }, open);
  if (outcome) print(outcome.ok ? outcome.value.text : outcome.error.what);
}
