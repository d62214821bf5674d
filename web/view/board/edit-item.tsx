// Adding an item to a board, and editing one; a newer version of somebody else is shown beside yours.
import { useEffect, useState } from "preact/hooks";
import { type BoardItemShape, boardItemShape } from "../../../src/schema/api/board.ts";
import { type CallProblem, call } from "../../api/call.ts";
import { Dialog } from "../../part/dialog.tsx";
import { Conflict, isStale } from "../../part/editor.tsx";
import { Field } from "../../part/form.tsx";
import { Loading } from "../../part/state.tsx";
import { type BoardAt, itemPath } from "./place.ts";

type EditItemProps = {
  place: BoardAt;
  item: { src: "agent" | "user"; name: string } | undefined;
  close(): void;
  changed(): void;
};

export function EditItem({ place, item, close, changed }: EditItemProps) {
  const [fields, setFields] = useState({ name: item?.name ?? "", description: "", content: "" });
  const [from, setFrom] = useState<BoardItemShape>();
  const [problem, setProblem] = useState<CallProblem>();
  const take = (now: BoardItemShape): void => {
    setFrom(now);
    setFields({ name: now.name, description: now.description, content: now.content });
    setProblem(undefined);
  };
  useEffect(() => {
    if (!item) return;
    void call(boardItemShape, itemPath(place, item)).then((answer) =>
      answer.ok ? take(answer.value) : setProblem(answer.error),
    );
  }, []);
  const set = (change: Partial<typeof fields>): void => setFields({ ...fields, ...change });
  const current = problem && isStale(problem) ? boardItemShape.safeParse(problem.details).data : undefined;
  const save = async (): Promise<void> => {
    const base = current ?? from;
    const answer = await call(boardItemShape, itemPath(place, { src: item?.src ?? "user", name: fields.name }), {
      method: "PUT",
      body: { description: fields.description, content: fields.content },
      ...(base ? { ifMatch: `"v${base.version}"` } : {}),
    });
    if (!answer.ok) return setProblem(answer.error);
    changed();
    close();
  };
  const isLoading = item !== undefined && from === undefined && problem === undefined;
  return (
    <Dialog title={item ? `Edit “${item.name}”` : "Add to the board"} onClose={close}>
      {isLoading ? (
        <Loading />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          {!item && (
            <Field label="Name" note="Short, in lower case: deploys, flaky-tests">
              <input required value={fields.name} onInput={(event) => set({ name: event.currentTarget.value })} />
            </Field>
          )}
          <Field label="Description" note="Every session sees this line.">
            <input
              required
              value={fields.description}
              onInput={(event) => set({ description: event.currentTarget.value })}
            />
          </Field>
          <Field label="Content" note="An agent fetches this when the line is not enough.">
            <textarea
              rows={6}
              required
              value={fields.content}
              onInput={(event) => set({ content: event.currentTarget.value })}
            />
          </Field>
          {problem && (
            <Conflict
              problem={problem}
              mine={`${fields.description}\n${fields.content}`}
              now={current && { text: `${current.description}\n\n${current.content}` }}
            />
          )}
          <footer class="dialog-foot">
            {current && (
              <button type="button" onClick={() => take(current)}>
                Take theirs
              </button>
            )}
            <button type="button" onClick={close}>
              Cancel
            </button>
            <button type="submit" class="primary">
              {current ? "Save mine over it" : "Save"}
            </button>
          </footer>
        </form>
      )}
    </Dialog>
  );
}
