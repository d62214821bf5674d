// Adding an item to a board, and editing one; a newer version of somebody else is shown beside yours.
import { useEffect, useState } from "preact/hooks";
import { type BoardItemShape, boardItemShape } from "../../../src/schema/api/board.ts";
import { type CallProblem, call } from "../../api/call.ts";
import { Conflict, isStale } from "../../part/editor.tsx";
import { FormDialog, TextField } from "../../part/form-dialog.tsx";
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
    <FormDialog
      isLoading={isLoading}
      title={item ? `Edit “${item.name}”` : "Add to the board"}
      close={close}
      save={() => void save()}
      takeTheirs={current && (() => take(current))}
    >
      {!item && (
        <TextField
          label="Name"
          note="Short, in lower case: deploys, flaky-tests"
          required
          value={fields.name}
          onInput={(name) => set({ name })}
        />
      )}
      <TextField
        label="Description"
        note="Every session sees this line."
        required
        value={fields.description}
        onInput={(description) => set({ description })}
      />
      <TextField
        label="Content"
        note="An agent fetches this when the line is not enough."
        rows={6}
        required
        value={fields.content}
        onInput={(content) => set({ content })}
      />
      {problem && (
        <Conflict
          problem={problem}
          mine={`${fields.description}\n${fields.content}`}
          now={current && { text: `${current.description}\n\n${current.content}` }}
        />
      )}
    </FormDialog>
  );
}
