// Where the page begins: sign in with the link's code, else see whether the cookie is still good, then draw.

import { signal } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { type CallProblem, call, nothing, signedIn } from "./api/call.ts";
import { startLive } from "./api/live.ts";
import { signIn, takeCode } from "./api/sign-in.ts";
import { startKeyboard } from "./app/keyboard.ts";
import { readRoute, route } from "./app/route.ts";
import { Shell } from "./app/shell.tsx";
import { SignIn } from "./app/sign-in.tsx";
import { views } from "./app/views.ts";
import "./app/theme.ts";

const refused = signal<CallProblem | undefined>(undefined);

async function begin(): Promise<void> {
  const code = takeCode();
  route.value = readRoute(location.hash);
  // The view's file comes while the gateway checks who asks; a file that fails is asked for again, and told, by the view.
  views[route.value.view]().catch(() => undefined);
  if (code !== undefined) refused.value = await signIn(code);
  if (signedIn.value === undefined) {
    const answer = await call(nothing, "/api/me");
    // A gateway that fails is no reason to ask for a code: its views say what is wrong.
    if (!answer.ok && answer.error.status !== 401) signedIn.value = true;
  }
}

addEventListener("hashchange", () => {
  if (location.hash.startsWith("#login=")) void begin();
});

function Page() {
  const isIn = signedIn.value;
  useEffect(() => {
    if (isIn) startLive();
  }, [isIn]);
  if (isIn === undefined) return null;
  return isIn ? <Shell /> : <SignIn first={refused.value} />;
}

const place = document.getElementById("app");
if (place) {
  startKeyboard();
  render(<Page />, place);
  void begin();
}
