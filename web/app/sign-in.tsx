// What a signed-out reader sees: how to get a link, and a field for the code.
import { useState } from "preact/hooks";
import type { CallProblem } from "../api/call.ts";
import { signIn } from "../api/sign-in.ts";
import { Copy } from "../part/copy.tsx";

const COMMAND = "everlong serve --link";

export function SignIn({ first }: { first?: CallProblem | undefined }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<CallProblem | undefined>(first);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setProblem(await signIn(text));
  };
  return (
    <main class="sign-in">
      <p class="name">
        <img src="/icon.svg" alt="" width="18" height="18" /> Everlong
      </p>
      <h1>Sign in</h1>
      <p>
        This page shows what your agents remember, so it asks who you are. Get a fresh link in a terminal on the machine
        that runs the gateway, and open it or paste it here:
      </p>
      <p class="command">
        <code>{COMMAND}</code> <Copy text={COMMAND} />
      </p>
      <form onSubmit={(event) => void submit(event)}>
        <label class="field">
          <span>Link or code</span>
          <input
            name="code"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            autocomplete="off"
            spellcheck={false}
          />
        </label>
        <button type="submit" class="primary" disabled={text.trim() === ""}>
          Sign in
        </button>
      </form>
      {problem && (
        <p class="trouble" role="alert">
          {problem.status === 429
            ? "Too many wrong codes. Wait a minute, then try again."
            : problem.kind === "refused"
              ? "This code is not valid: it was used before, or it is older than 10 minutes."
              : `${problem.message} ${problem.hint}`}
        </p>
      )}
      <p class="faint">
        A link works once and for 10 minutes. Your browser then stays signed in for 12 hours after you last used it.
      </p>
    </main>
  );
}
