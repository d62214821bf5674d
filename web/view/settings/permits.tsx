// Folders that are trusted, and services that may get text: they can be taken back here, never given.
import { useState } from "preact/hooks";
import { consentList, trustList } from "../../../src/schema/api/settings.ts";
import { type CallProblem, call, nothing } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { Confirm } from "../../part/dialog.tsx";
import { Loaded } from "../../part/state.tsx";
import { When } from "../../part/time.tsx";

export function Permits() {
  const trust = useResource("trust", (signal) => call(trustList, "/api/trust", { signal }), ["settings"]);
  const consents = useResource("consents", (signal) => call(consentList, "/api/consents", { signal }), ["settings"]);
  return (
    <>
      <section class="section">
        <h2>Trusted folders</h2>
        <Loaded of={trust}>
          {({ items }) => (
            <List
              none="No folder is trusted. Trust is given in a terminal: everlong trust"
              rows={items.map(({ folder, at }) => ({ key: folder, text: <code>{folder}</code>, at, body: { folder } }))}
              path="/api/trust"
              warning="Its own hooks, MCP servers, agents and rules are off until you trust it again in a terminal."
              changed={trust.reload}
            />
          )}
        </Loaded>
      </section>
      <section class="section">
        <h2>Consents</h2>
        <Loaded of={consents}>
          {({ items }) => (
            <List
              none="No service gets text of your conversations. Consent is given in a terminal: everlong consent grant URL"
              rows={items.map(({ root, origin, at }) => ({
                key: `${root} ${origin}`,
                text: (
                  <>
                    <strong>{origin}</strong> may get text of <code>{root}</code>
                  </>
                ),
                at,
                body: { root, origin },
              }))}
              path="/api/consents"
              warning="Nothing more is sent there. What was sent before is still there."
              changed={consents.reload}
            />
          )}
        </Loaded>
      </section>
    </>
  );
}

type Row = { key: string; text: preact.ComponentChildren; at: string; body: object };
type ListProps = { none: string; rows: readonly Row[]; path: string; warning: string; changed(): void };

function List({ none, rows, path, warning, changed }: ListProps) {
  const [revoking, setRevoking] = useState<Row>();
  const revoke = async (row: Row): Promise<CallProblem | undefined> => {
    const answer = await call(nothing, path, { method: "DELETE", body: row.body });
    changed();
    return answer.ok ? undefined : answer.error;
  };
  if (rows.length === 0) return <p class="soft">{none}</p>;
  return (
    <ul class="permits">
      {rows.map((row) => (
        <li key={row.key} class="head">
          <span>{row.text}</span>
          <span class="inline">
            <span class="faint">
              since <When at={row.at} />
            </span>
            <button type="button" onClick={() => setRevoking(row)}>
              Revoke
            </button>
          </span>
        </li>
      ))}
      {revoking && (
        <Confirm title="Revoke?" action="Revoke" onClose={() => setRevoking(undefined)} run={() => revoke(revoking)}>
          {revoking.text}. {warning}
        </Confirm>
      )}
    </ul>
  );
}
