// Editing a memory: what somebody else wrote meanwhile is shown beside your text, and nothing is written until you choose.
import { useState } from "preact/hooks";
import { type MemoryShape, memoryShape } from "../../../src/schema/api/memory.ts";
import { type CallProblem, call } from "../../api/call.ts";
import { Conflict, isStale } from "../../part/editor.tsx";
import { FormDialog, TextField } from "../../part/form-dialog.tsx";
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
  const take = (now: MemoryShape): void => {
    setFields({ fact: now.fact, subject: now.subject, reason: now.reason });
    setFrom(now);
    setProblem(undefined);
  };
  return (
    <FormDialog
      title="Edit memory"
      close={close}
      save={() => void save(current ?? from)}
      takeTheirs={current && (() => take(current))}
      disabled={busy}
    >
      <TextField label="Fact" rows={3} maxLength={500} value={fields.fact} onInput={(fact) => set({ fact })} />
      <TextField label="Subject" maxLength={100} value={fields.subject} onInput={(subject) => set({ subject })} />
      <TextField
        label="Why it matters"
        rows={2}
        maxLength={1000}
        value={fields.reason}
        onInput={(reason) => set({ reason })}
      />
      {problem && <Conflict problem={problem} mine={fields.fact} now={current && { text: current.fact }} />}
    </FormDialog>
  );
}
