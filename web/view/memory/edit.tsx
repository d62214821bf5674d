// Editing a memory: what somebody else wrote meanwhile is shown beside your text, and nothing is written until you choose.
import { useState } from "preact/hooks";
import { type MemoryShape, memoryShape } from "../../../src/schema/api/memory.ts";
import { type CallProblem, call } from "../../api/call.ts";
import { Dialog } from "../../part/dialog.tsx";
import { Conflict, isStale } from "../../part/editor.tsx";
import { Field } from "../../part/form.tsx";
import { recordPath, tagOf } from "./record.ts";

type Fields = Pick<MemoryShape, "fact" | "subject" | "reason">;

export function EditMemory({
  record,
  put,
  close,
}: {
  record: MemoryShape;
  put(record: MemoryShape): void;
  close(): void;
}) {
  const [fields, setFields] = useState<Fields>({ fact: record.fact, subject: record.subject, reason: record.reason });
  const [from, setFrom] = useState(record);
  const [problem, setProblem] = useState<CallProblem>();
  const [busy, setBusy] = useState(false);
  const set = (change: Partial<Fields>): void => setFields({ ...fields, ...change });
  const current = problem && isStale(problem) ? memoryShape.safeParse(problem.details).data : undefined;
  const save = async (base: MemoryShape): Promise<void> => {
    const body = Object.fromEntries(
      Object.entries(fields).filter(([name, value]) => value !== base[name as keyof Fields]),
    );
    if (Object.keys(body).length === 0) return close();
    setBusy(true);
    const answer = await call(memoryShape, recordPath(record.id), { method: "PATCH", body, ifMatch: tagOf(base) });
    setBusy(false);
    if (!answer.ok) return setProblem(answer.error);
    put(answer.value);
    close();
  };
  return (
    <Dialog title="Edit memory" onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save(current ?? from);
        }}
      >
        <Field label="Fact">
          <textarea
            rows={3}
            maxLength={500}
            value={fields.fact}
            onInput={(event) => set({ fact: event.currentTarget.value })}
          />
        </Field>
        <Field label="Subject">
          <input
            maxLength={100}
            value={fields.subject}
            onInput={(event) => set({ subject: event.currentTarget.value })}
          />
        </Field>
        <Field label="Why it matters">
          <textarea
            rows={2}
            maxLength={1000}
            value={fields.reason}
            onInput={(event) => set({ reason: event.currentTarget.value })}
          />
        </Field>
        {problem && <Conflict problem={problem} mine={fields.fact} now={current && { text: current.fact }} />}
        <footer class="dialog-foot">
          {current && (
            <button
              type="button"
              onClick={() => {
                setFields({ fact: current.fact, subject: current.subject, reason: current.reason });
                setFrom(current);
                setProblem(undefined);
              }}
            >
              Take theirs
            </button>
          )}
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={busy}>
            {current ? "Save mine over it" : "Save"}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
