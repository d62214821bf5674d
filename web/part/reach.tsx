// Reaching work that another process does: write to it, stop it, compact it; and what it said to that.
import { useState } from "preact/hooks";
import { controlOutcome, type SessionControl } from "../../src/schema/session-control.ts";
import { call } from "../api/call.ts";
import { Copy } from "./copy.tsx";
import "./reach.css";

type Report = { text: string; isProblem?: boolean };

/** With a task it is that task, else the conversation itself. */
export function Reach({ session, task }: { session: string; task?: string }) {
  const [draft, setDraft] = useState("");
  const [report, setReport] = useState<Report>();
  const [waiting, setWaiting] = useState<ReadonlySet<string>>(new Set());
  const ask = async (control: SessionControl): Promise<boolean> => {
    const { action } = control;
    setWaiting((now) => new Set(now).add(action));
    const path = `/api/sessions/${encodeURIComponent(session)}/control`;
    const answer = await call(controlOutcome, path, { method: "POST", body: control });
    setWaiting((now) => new Set([...now].filter((other) => other !== action)));
    if (!answer.ok) {
      setReport({ text: `${answer.error.message} ${answer.error.hint}`, isProblem: true });
      return false;
    }
    setReport({ text: answer.value.text });
    // What waited comes back to where it can be sent again.
    const back = answer.value.returned;
    if (back) setDraft((now) => [...back, now].filter(Boolean).join("\n\n"));
    return true;
  };
  const send = async (): Promise<void> => {
    const text = draft.trim();
    if (text === "" || waiting.has("message")) return;
    const isSent = await ask(task === undefined ? { action: "message", text } : { action: "message-task", task, text });
    // What was typed meanwhile stays.
    if (isSent) setDraft((now) => (now.trim() === text ? "" : now));
  };
  const isCompacting = waiting.has("compact");
  return (
    <form
      class="reach"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        aria-label={task === undefined ? "Message to the agent" : "Message to the task"}
        placeholder={task === undefined ? "Message to the agent" : "Message to the task"}
        rows={draft.includes("\n") ? 4 : 1}
        value={draft}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void send();
        }}
      />
      <div class="inline">
        <button type="submit" class="primary" disabled={draft.trim() === "" || waiting.has("message")}>
          Send
        </button>
        <button
          type="button"
          disabled={waiting.has("stop") || waiting.has("stop-task")}
          onClick={() => void ask(task === undefined ? { action: "stop" } : { action: "stop-task", task })}
        >
          Stop
        </button>
        {task === undefined &&
          (isCompacting ? (
            <button type="button" onClick={() => void ask({ action: "cancel" })}>
              Cancel compaction
            </button>
          ) : (
            <>
              <button type="button" onClick={() => void ask({ action: "compact" })}>
                Compact
              </button>
              <button type="button" class="quiet" onClick={() => void ask({ action: "undo" })}>
                Undo compaction
              </button>
            </>
          ))}
      </div>
      <p class={report?.isProblem ? "trouble" : "soft"} role="status">
        {isCompacting ? "Compacting: the summary is being written." : report?.text}
      </p>
    </form>
  );
}

/** Nobody has it open: this goes on with it. */
export function Resume({ session }: { session: string }) {
  const command = `everlong --resume ${session.slice(0, 8)}`;
  return (
    <p class="faint">
      Not open in any terminal. To go on with it: <code>{command}</code> <Copy text={command} />
    </p>
  );
}
