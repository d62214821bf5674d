// What a view shows when it has nothing to show: loading, empty with the command that fills it, failed with Retry.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CallProblem } from "../api/call.ts";
import { Copy } from "./copy.tsx";

/** It says nothing for the first moment: most answers are faster than reading. */
export function Loading({ what = "Loading" }: { what?: string }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p class="state" role="status">
      {late ? `${what}…` : ""}
    </p>
  );
}

export function Empty({ title, children, command }: { title: string; children?: ComponentChildren; command?: string }) {
  return (
    <div class="state">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {command && (
        <p class="command">
          <code>{command}</code> <Copy text={command} />
        </p>
      )}
    </div>
  );
}

export function Failed({ problem, retry }: { problem: CallProblem; retry(): void }) {
  return (
    <div class="state is-failed" role="alert">
      <h2>{problem.message}</h2>
      <p>{problem.hint || "Your data is not affected."}</p>
      <p>
        <button type="button" onClick={retry}>
          Retry
        </button>{" "}
        <span class="faint">[{problem.code}]</span>
      </p>
    </div>
  );
}

/** A problem above something that is still worth reading. */
export function Trouble({ problem, retry }: { problem: CallProblem; retry?: (() => void) | undefined }) {
  return (
    <div class="trouble" role="alert">
      <span>
        {problem.message} {problem.hint}
      </span>
      {retry && (
        <button type="button" onClick={retry}>
          Retry
        </button>
      )}
    </div>
  );
}

type Answer<T> = { value?: T; problem?: CallProblem; loading: boolean; reload(): void };

/** The value when there is one, with a line above it when it is old; else why there is none. */
export function Loaded<T>({ of, children }: { of: Answer<T>; children(value: T): ComponentChildren }) {
  if (of.value === undefined) return of.problem ? <Failed problem={of.problem} retry={of.reload} /> : <Loading />;
  return (
    <>
      {of.problem && <Trouble problem={of.problem} retry={of.reload} />}
      {children(of.value)}
    </>
  );
}
