// A real dialog: the browser traps focus in it, Esc closes it, and focus returns to where it was.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CallProblem } from "../api/call.ts";

type DialogProps = { title: string; onClose(): void; children: ComponentChildren; wide?: boolean };

export function Dialog({ title, onClose, children, wide }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={box}
      class={wide ? "is-wide" : ""}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === box.current) onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2>{title}</h2>
          <button type="button" class="quiet" onClick={onClose} aria-label="Close">
            Close
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

type ConfirmProps = {
  title: string;
  children: ComponentChildren;
  /** The word on the button that does it. */
  action: string;
  /** Must be typed before the button works. */
  typed?: string | undefined;
  onClose(): void;
  /** Gives back what went wrong; undefined: it worked and the dialog closes. */
  run(): Promise<CallProblem | undefined>;
};

export function Confirm({ title, children, action, typed, onClose, run }: ConfirmProps) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<CallProblem>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const answer = await run();
    setBusy(false);
    if (answer) setProblem(answer);
    else onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <div class="dialog-text">{children}</div>
        {typed !== undefined && (
          <label class="field">
            <span>
              Type <strong>{typed}</strong> to confirm
            </span>
            <input value={text} onInput={(event) => setText(event.currentTarget.value)} autocomplete="off" />
          </label>
        )}
        {problem && (
          <p class="trouble" role="alert">
            {problem.message} {problem.hint}
          </p>
        )}
        <footer class="dialog-foot">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="danger" disabled={busy || (typed !== undefined && text.trim() !== typed)}>
            {action}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
