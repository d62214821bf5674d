// What goes with every request of a proxied session and can be edited here: TODO, pinned text, anchor, spec.

import { useState } from "preact/hooks";
import * as z from "zod";
import type { SessionDetail } from "../../../src/schema/api/session.ts";
import { type CallProblem, call } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { Editor } from "../../part/editor.tsx";
import { Mark } from "../../part/form.tsx";
import { Loaded } from "../../part/state.tsx";
import { When } from "../../part/time.tsx";

const textView = z.object({ text: z.string(), version: z.string() });
const TEXTS = [
  ["todo", "TODO", "The agent sees this list with every request."],
  ["pinned", "Pinned", "Rules and facts that must never be cut away."],
  ["summary", "Anchor", "Task, decisions, files changed, what still fails. Made by Everlong when it cuts."],
] as const;

export function SessionState({ value, changed }: { value: SessionDetail; changed(): void }) {
  if (!value.proxied)
    return (
      <div class="stack">
        <div class="section">
          <h2>Todos</h2>
          {value.todos.length === 0 ? (
            <p class="soft">The agent made no todos in this session.</p>
          ) : (
            <ul class="todos">
              {value.todos.map((todo) => (
                <li key={todo.id}>
                  <Mark tone={todo.status === "done" ? "plain" : todo.status === "blocked" ? "red" : "accent"}>
                    {todo.status}
                  </Mark>{" "}
                  {todo.title}
                </li>
              ))}
            </ul>
          )}
        </div>
      </div>
    );
  return (
    <div class="stack">
      {TEXTS.map(([name, title, help]) => (
        <StateText key={name} session={value.id} name={name} title={title} help={help} />
      ))}
      <Spec session={value.id} spec={value.proxied.spec} changed={changed} />
    </div>
  );
}

function StateText({ session, name, title, help }: { session: string; name: string; title: string; help: string }) {
  const path = `/api/proxy/sessions/${encodeURIComponent(session)}/${name}`;
  const text = useResource(`${session} ${name}`, (signal) => call(textView, path, { signal }), ["proxy.request"]);
  return (
    <div class="section">
      <h2>{title}</h2>
      <Loaded of={text}>
        {(value) => (
          <Editor
            label={title}
            help={help}
            text={value.text}
            version={value.version}
            save={async (next, version) => {
              const answer = await call(textView, path, {
                method: "PUT",
                body: { text: next },
                ifMatch: version === "*" ? "*" : `"${version}"`,
              });
              if (answer.ok) text.put(answer.value);
              return answer.ok ? undefined : answer.error;
            }}
            current={(problem) => {
              const now = textView.safeParse(problem.details);
              return now.success ? now.data : undefined;
            }}
          />
        )}
      </Loaded>
    </div>
  );
}

type SpecState = NonNullable<SessionDetail["proxied"]>["spec"];

function Spec({ session, spec, changed }: { session: string; spec: SpecState; changed(): void }) {
  const [problem, setProblem] = useState<CallProblem>();
  const set = async (body: object): Promise<void> => {
    const path = `/api/proxy/sessions/${encodeURIComponent(session)}/spec`;
    const answer = await call(z.unknown(), path, { method: "POST", body });
    setProblem(answer.ok ? undefined : answer.error);
    changed();
  };
  const isOn = spec.mode === "on";
  return (
    <div class="section">
      <h2>Spec mode</h2>
      <p class="soft">
        {isOn
          ? spec.approved
            ? "The specification is approved: the agent may change things."
            : "The agent is asked for a specification and changes nothing until you approve it."
          : "Off: requests pass unchanged."}{" "}
        {spec.time && (
          <>
            Since <When at={spec.time} />
            {spec.way && ` by ${spec.way}`}.
          </>
        )}
      </p>
      <p class="inline">
        <button type="button" onClick={() => void set({ mode: isOn ? "off" : "on" })}>
          Turn {isOn ? "off" : "on"}
        </button>
        {isOn && (
          <button
            type="button"
            class={spec.approved ? "" : "primary"}
            onClick={() => void set({ approved: !spec.approved })}
          >
            {spec.approved ? "Take back approval" : "Approve"}
          </button>
        )}
      </p>
      {problem && <p class="trouble">{problem.message}</p>}
    </div>
  );
}
