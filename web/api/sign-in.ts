// Signing in with the code of the printed link, and out again.
import { type CallProblem, call, nothing, signedIn } from "./call.ts";

/** The code in the address bar is taken out of it before anything else happens. */
export function takeCode(): string | undefined {
  const code = /^#login=([\w-]+)/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, "", `${location.pathname}#/overview`);
  return code;
}

/** Takes a code or a whole pasted link; gives back what went wrong. */
export async function signIn(text: string): Promise<CallProblem | undefined> {
  const code = (/#login=([\w-]+)/.exec(text)?.[1] ?? text).trim();
  const answer = await call(nothing, "/api/login", { method: "POST", body: { code } });
  if (answer.ok) {
    signedIn.value = true;
    return undefined;
  }
  return answer.error;
}

export async function signOut(): Promise<void> {
  await call(nothing, "/api/logout", { method: "POST" });
  signedIn.value = false;
}
