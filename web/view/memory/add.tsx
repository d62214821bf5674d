// A memory by your own hand.
import { useState } from "preact/hooks";
import { memoryChanged } from "../../../src/schema/api/memory.ts";
import { type CallProblem, call } from "../../api/call.ts";
import { setParams } from "../../app/route.ts";
import { Dialog } from "../../part/dialog.tsx";
import { Choice, Field } from "../../part/form.tsx";
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
    <Dialog title="Add a memory" onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label="Fact" note="One sentence that will still be true next month.">
          <textarea
            rows={3}
            required
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
            placeholder="deployment"
          />
        </Field>
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
          <Field label="Repository">
            <input
              required
              value={fields.repository}
              onInput={(event) => set({ repository: event.currentTarget.value })}
              placeholder="github.com/acme/shop"
            />
          </Field>
        )}
        {problem && <Trouble problem={problem} />}
        <footer class="dialog-foot">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={fields.fact.trim() === ""}>
            Save
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
