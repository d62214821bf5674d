// What a new session in a folder would be told before this message, word for word, or why nothing.
import { type InjectionPreview, injectionPreview } from "../../../src/schema/api/recall.ts";
import { sessionList } from "../../../src/schema/api/session.ts";
import { address, call } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { setParams } from "../../app/route.ts";
import { plural } from "../../part/figure.tsx";
import { Choice, Field, type Option } from "../../part/form.tsx";
import { Loaded } from "../../part/state.tsx";
import { Text } from "../../part/text.tsx";

export function Injected({ query, folder }: { query: string; folder: string | undefined }) {
  const rows = useResource("folders", (signal) =>
    call(sessionList, address("/api/sessions", { source: "agent", limit: 500 }), { signal }),
  );
  const answer = useResource(JSON.stringify([query, folder]), (signal) =>
    call(injectionPreview, "/api/recall/injected", {
      method: "POST",
      body: { query, ...(folder ? { folder } : {}) },
      signal,
    }),
  );
  const names = [...new Set((rows.value?.items ?? []).flatMap((row) => row.folder ?? []).concat(folder ?? []))];
  const options: Option[] = [["", "Where the gateway runs"], ...names.sort().map((name): Option => [name, name])];
  return (
    <div class="stack">
      <div class="injected-for">
        <Field label="For a new session of Everlong in">
          <Choice
            label="Folder"
            value={folder ?? ""}
            options={options}
            onChange={(value) => setParams({ folder: value || undefined })}
          />
        </Field>
      </div>
      <Loaded of={answer}>{(value) => <Shown value={value} />}</Loaded>
    </div>
  );
}

function Shown({ value }: { value: InjectionPreview }) {
  const { text, memory, quotes, losses } = value;
  return (
    <div class="stack">
      {losses.map((loss) => (
        <p key={loss} class="amber" role="alert">
          {loss} What it would have found is missing here, as it would be for an agent.
        </p>
      ))}
      {text === null ? (
        <p class="soft">
          {memory
            ? "Nothing: no pin applies there, and no promoted or learned fact matches these words."
            : "Nothing: memory is off (memory.enabled)."}
        </p>
      ) : (
        <div class="section">
          <div class="head">
            <h2>Before the message</h2>
            <span class="faint">{plural(text.length, "character")}</span>
          </div>
          <pre class="code">
            <Text>{text}</Text>
          </pre>
        </div>
      )}
      {memory && !quotes && (
        <p class="faint">
          Earlier words are not quoted by themselves: <code>recall.auto</code> is off. The agent can still ask for them.
        </p>
      )}
    </div>
  );
}
