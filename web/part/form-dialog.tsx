// A form in a dialog: its texts, and what stands below them. A newer version of somebody else can be taken over instead.
import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog.tsx";
import { Field } from "./form.tsx";
import { Loading } from "./state.tsx";

type FormDialogProps = {
  title: string;
  close(): void;
  save(): void;
  /** Absent: nobody wrote something else meanwhile. */
  takeTheirs?: (() => void) | undefined;
  disabled?: boolean;
  /** Its texts are on their way. */
  isLoading?: boolean;
  children: ComponentChildren;
};

export const FormDialog = (props: FormDialogProps) => (
  <Dialog title={props.title} onClose={props.close}>
    {props.isLoading ? <Loading /> : <DialogForm {...props} />}
  </Dialog>
);

const DialogForm = ({ close, save, takeTheirs, disabled = false, children }: FormDialogProps) => (
  <form
    onSubmit={(event) => {
      event.preventDefault();
      save();
    }}
  >
    {children}
    <footer class="dialog-foot">
      {takeTheirs && (
        <button type="button" onClick={takeTheirs}>
          Take theirs
        </button>
      )}
      <button type="button" onClick={close}>
        Cancel
      </button>
      <button type="submit" class="primary" disabled={disabled}>
        {takeTheirs ? "Save mine over it" : "Save"}
      </button>
    </footer>
  </form>
);

type TextFieldProps = {
  label: string;
  note?: string;
  value: string;
  onInput(value: string): void;
  /** The control has several lines. */
  rows?: number;
  required?: boolean;
  maxLength?: number;
  placeholder?: string;
};

export const TextField = ({ label, note, onInput, rows, ...control }: TextFieldProps) => (
  <Field label={label} note={note}>
    {rows === undefined ? (
      <input {...control} onInput={(event) => onInput(event.currentTarget.value)} />
    ) : (
      <textarea {...control} rows={rows} onInput={(event) => onInput(event.currentTarget.value)} />
    )}
  </Field>
);
