// Questions before the session: is this folder trusted, may text leave the machine. Nothing is loaded or sent before the answers.
import { consentText, settleConsent } from "../../command/consent.ts";
import { trustFolder } from "../../command/trust.ts";
import { home, type OpenOptions } from "../../runtime/client.ts";
import { ask } from "../effect/ask.ts";
import type { ScreenMessage } from "../update/message.ts";

/** `signal`: the person leaves before there is an answer. */
type Asking = { dispatch(message: ScreenMessage): void; say(text: string): void; signal: AbortSignal };

/** Without trust everything but the folder's own parts works. */
export async function askTrust({ dispatch, say, signal }: Asking): Promise<"go on" | "exit"> {
  const notice = await home.trustQuestion();
  if (!notice) return "go on";
  const answer = await ask(dispatch, { type: "trust", text: notice }, signal);
  if (!answer || answer.choice === "exit") return "exit";
  if (answer.choice === "trust") {
    const outcome = await trustFolder();
    say(outcome.ok ? outcome.value.text : outcome.error.what);
  }
  return "go on";
}

export async function askConsent(
  { dispatch, say, signal }: Asking,
  open: Pick<OpenOptions, "flags" | "trustFolder">,
): Promise<void> {
  const question = await home.consent.question(open);
  if (!question) return;
  const answer = await ask(dispatch, { type: "consent", text: consentText(question) }, signal);
  if (!answer) return;
  const outcome = await settleConsent(question, answer.choice, open);
  say(outcome.ok ? outcome.value.text : outcome.error.what);
}
