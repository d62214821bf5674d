// A text with Edit and Save. Somebody else's newer version is shown beside yours, and nothing is written until you choose.
import { useState } from "preact/hooks";
import type { CallProblem } from "../api/call.ts";
import { Copy } from "./copy.tsx";
import { Text } from "./text.tsx";

type Version = { text: string; version: string };
type EditorProps = {
  label: string;
  help?: string;
  text: string;
  version: string;
  /** `*` replaces whatever is there now. Gives back what went wrong. */
  save(text: string, version: string): Promise<CallProblem | undefined>;
  /** What a refusal says is there now. */
  current(problem: CallProblem): Version | undefined;
  rows?: number;
};

export function Editor(props: EditorProps) {
  const [draft, setDraft] = useState<{ text: string; version: string }>();
  const [problem, setProblem] = useState<CallProblem>();
  const [busy, setBusy] = useState(false);
  const store = async (version: string): Promise<void> => {
    if (!draft) return;
    setBusy(true);
    const answer = await props.save(draft.text, version);
    setBusy(false);
    setProblem(answer);
    if (!answer) setDraft(undefined);
  };
  if (!draft)
    return (
      <div class="editor">
        {props.text ? (
          <pre class="editor-text">
            <Text>{props.text}</Text>
          </pre>
        ) : (
          <p class="faint">{props.help ?? "Empty."}</p>
        )}
        <button type="button" onClick={() => setDraft({ text: props.text, version: props.version })}>
          Edit
        </button>
      </div>
    );
  const now = problem && isStale(problem) ? props.current(problem) : undefined;
  return (
    <div class="editor">
      <textarea
        aria-label={props.label}
        rows={props.rows ?? 8}
        value={draft.text}
        onInput={(event) => setDraft({ ...draft, text: event.currentTarget.value })}
      />
      {problem && <Conflict problem={problem} now={now} mine={draft.text} />}
      <p class="inline">
        {now ? (
          <>
            <button type="button" disabled={busy} onClick={() => void store(now.version)}>
              Save mine over it
            </button>
            <button
              type="button"
              onClick={() => {
                setDraft({ text: now.text, version: now.version });
                setProblem(undefined);
              }}
            >
              Take theirs
            </button>
          </>
        ) : (
          <button type="button" class="primary" disabled={busy} onClick={() => void store(draft.version)}>
            Save
          </button>
        )}
        <button
          type="button"
          onClick={() => {
            setDraft(undefined);
            setProblem(undefined);
          }}
        >
          Cancel
        </button>
      </p>
    </div>
  );
}

export const isStale = ({ status }: CallProblem): boolean => status === 409 || status === 412;

/** Both versions, or that the row is gone with the text to copy. */
export function Conflict({
  problem,
  now,
  mine,
}: {
  problem: CallProblem;
  now?: { text: string } | undefined;
  mine: string;
}) {
  if (now)
    return (
      <div class="conflict" role="alert">
        <p>Somebody changed it since you opened it. Nothing was written. It now reads:</p>
        <pre class="editor-text">
          <Text>{now.text || "(empty)"}</Text>
        </pre>
      </div>
    );
  const isGone = problem.status === 404 || problem.status === 410;
  return (
    <p class="trouble" role="alert">
      <span>
        {isGone
          ? "It was deleted meanwhile. Nothing was written; your text is still here."
          : `${problem.message} ${problem.hint}`}
      </span>
      {isGone && <Copy text={mine} label="Copy my text" />}
    </p>
  );
}
