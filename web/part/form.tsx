// Small controls that every view uses: search, choice, tabs, marks, facts.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { setParams } from "../app/route.ts";

/** The `/` key goes to it. What is typed is in the address a moment later. */
export function Search({ value, param = "q", label }: { value: string | undefined; param?: string; label: string }) {
  const [text, setText] = useState(value ?? "");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const typed = useRef(value ?? "");
  useEffect(() => {
    if ((value ?? "") !== typed.current) setText(value ?? "");
    typed.current = value ?? "";
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (next: string): void => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      typed.current = next;
      setParams({ [param]: next || undefined }, { replace: true });
    }, 200);
  };
  return (
    <input
      type="search"
      class="search"
      data-search
      aria-label={label}
      placeholder={`${label}  /`}
      value={text}
      onInput={(event) => type(event.currentTarget.value)}
    />
  );
}

export type Option = readonly [value: string, label: string];

/** An empty value is the first option. */
export function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly Option[];
  onChange(value: string): void;
}) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map(([option, text]) => (
        <option key={option} value={option} selected={option === value}>
          {text}
        </option>
      ))}
    </select>
  );
}

export const ParamChoice = (props: {
  label: string;
  param: string;
  value: string | undefined;
  options: readonly Option[];
}) => (
  <Choice
    label={props.label}
    value={props.value ?? ""}
    options={props.options}
    onChange={(value) => setParams({ [props.param]: value || undefined })}
  />
);

/** What a list is narrowed to. */
export const OnlySession = ({ session }: { session: string | undefined }) =>
  session ? (
    <p class="inline">
      <span class="soft">
        Only session <code>{session}</code>
      </span>
      <button type="button" class="quiet" onClick={() => setParams({ session: undefined })}>
        Show all
      </button>
    </p>
  ) : null;

export function Tabs({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly Option[];
  onChange(value: string): void;
}) {
  const move = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const at = options.findIndex(([name]) => name === value);
    const next = options[(at + step + options.length) % options.length];
    if (!next) return;
    event.preventDefault();
    onChange(next[0]);
    const list = event.currentTarget as HTMLElement;
    requestAnimationFrame(() => list.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {options.map(([name, text]) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === value}
          tabIndex={name === value ? 0 : -1}
          onClick={() => onChange(name)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

export type Tone = "plain" | "accent" | "amber" | "red";
export const Mark = ({
  tone = "plain",
  children,
  title,
}: {
  tone?: Tone;
  children: ComponentChildren;
  title?: string;
}) => (
  <span class={`mark is-${tone}`} title={title}>
    {children}
  </span>
);

/** Terms and values in two columns; a value that is absent is not listed. */
export const Facts = ({ rows }: { rows: readonly (readonly [term: string, value: ComponentChildren])[] }) => (
  <dl class="facts">
    {rows
      .filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false)
      .map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

export function Field({
  label,
  children,
  note,
}: {
  label: string;
  children: ComponentChildren;
  note?: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child.
    <label class="field">
      <span>{label}</span>
      {children}
      {note && <small>{note}</small>}
    </label>
  );
}
