// A memory by your own hand.
import { useState } from "preact/hooks";
import { memoryChanged } from "../../../src/schema/api/memory.ts";
import { type CallProblem, call } from "../../api/call.ts";
import { setParams } from "../../app/route.ts";
import { Choice, Field } from "../../part/form.tsx";
import { FormDialog, TextField } from "../../part/form-dialog.tsx";
import { Trouble } from "../../part/state.tsx";

export function AddMemory({ close, changed }: { close(): void; changed(): void }) {
  const [fields, setFields] = useState({ fact: "", subject: "", scope: "user", repository: "" });
  const [problem, setProblem] = useState<CallProblem>();
  const set = (change: Partial<typeof fields>): void => setFields({ ...fields, ...change });
  const save = async (): Promise<void> => {
    const { fact, subject, scope, repository } = fields;
    const body = {
      fact,
      subject: subject || fact.split(/\s+/).slice(0, 4).join(" "),
      reason: "Added by the user in the dashboard.",
      citations: ["User input in the dashboard"],
      scope,
      ...(scope === "repository" ? { repository } : {}),
      author: "user",
      approved: true,
    };
    const answer = await call(memoryChanged, "/api/memory/records", { method: "POST", body });
    if (!answer.ok) return setProblem(answer.error);
    changed();
    close();
    if (answer.value.id) setParams({ id: answer.value.id });
  };
  return (
    <FormDialog title="Add a memory" close={close} save={() => void save()} disabled={fields.fact.trim() === ""}>
      <TextField
        label="Fact"
        note="One sentence that will still be true next month."
        rows={3}
        required
        maxLength={500}
        value={fields.fact}
        onInput={(fact) => set({ fact })}
      />
      <TextField
        label="Subject"
        maxLength={100}
        value={fields.subject}
        onInput={(subject) => set({ subject })}
        placeholder="deployment"
      />
      <Field label="Scope">
        <Choice
          label="Scope"
          value={fields.scope}
          options={[
            ["user", "About you, everywhere"],
            ["repository", "Of one repository"],
          ]}
          onChange={(scope) => set({ scope })}
        />
      </Field>
      {fields.scope === "repository" && (
        <TextField
          label="Repository"
          required
          value={fields.repository}
          onInput={(repository) => set({ repository })}
          placeholder="github.com/acme/shop"
        />
      )}
      {problem && <Trouble problem={problem} />}
    </FormDialog>
  );
}
