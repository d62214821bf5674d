// Settings: every key with its value, its source and its help; on/off features can be switched, trust and consent taken back.
import { useState } from "preact/hooks";
import { type SettingShape, settingChanged, settingList } from "../../../src/schema/api/settings.ts";
import { address, type CallProblem, call } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { params, setParams } from "../../app/route.ts";
import { Mark, Search } from "../../part/form.tsx";
import { Loaded, Trouble } from "../../part/state.tsx";
import { Text } from "../../part/text.tsx";
import { Permits } from "./permits.tsx";
import "./settings.css";

export function Settings() {
  const { q = "", only } = params.value;
  const list = useResource(
    "settings",
    (signal) => call(settingList, address("/api/settings", { limit: 500 }), { signal }),
    ["settings"],
  );
  return (
    <div class="page">
      <header class="head">
        <h1>Settings</h1>
        <p>Values that are not switches are set with: everlong settings set KEY VALUE</p>
      </header>
      <div class="inline nowrap">
        <Search value={q} label="Search settings" />
        <label class="check nobreak">
          <input
            type="checkbox"
            checked={only === "set"}
            onChange={(event) => setParams({ only: event.currentTarget.checked ? "set" : undefined })}
          />
          Changed only
        </label>
      </div>
      <Loaded of={list}>
        {({ items }) => <Groups items={items.filter((one) => matches(one, q, only))} reload={list.reload} />}
      </Loaded>
      <Permits />
    </div>
  );
}

function matches({ key, help, source }: SettingShape, q: string, only: string | undefined): boolean {
  const text = `${key} ${help}`.toLowerCase();
  return (
    (only !== "set" || source !== "default") &&
    q
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word))
  );
}

function Groups({ items, reload }: { items: readonly SettingShape[]; reload(): void }) {
  if (items.length === 0) return <p class="soft">No setting matches.</p>;
  const groups = Map.groupBy(items, ({ key }) => key.split(".")[0] ?? key);
  return (
    <>
      {[...groups].map(([name, list]) => (
        <section key={name} class="section">
          <h2>{name}</h2>
          <dl class="settings">
            {list.map((setting) => (
              <Setting key={setting.key} setting={setting} reload={reload} />
            ))}
          </dl>
        </section>
      ))}
    </>
  );
}

function Setting({ setting, reload }: { setting: SettingShape; reload(): void }) {
  const [problem, setProblem] = useState<CallProblem>();
  const [note, setNote] = useState("");
  const path = `/api/settings/${encodeURIComponent(setting.key)}`;
  const change = async (value: boolean | undefined): Promise<void> => {
    const answer = await call(
      settingChanged,
      path,
      value === undefined ? { method: "DELETE" } : { method: "PUT", body: { value } },
    );
    setProblem(answer.ok ? undefined : answer.error);
    setNote(answer.ok && answer.value.needsRestart ? "Takes effect after a restart." : "");
    reload();
  };
  const { isSwitch, lockedBy } = setting;
  const isOn = setting.value === true || setting.value === "on" || setting.value === "true";
  return (
    <div class="setting">
      <dt>
        <code>{setting.key}</code>
      </dt>
      <dd>
        <span class="setting-value">
          {isSwitch ? (
            <label class="check">
              <input
                type="checkbox"
                aria-label={setting.key}
                checked={isOn}
                disabled={lockedBy !== null}
                onChange={(event) => void change(event.currentTarget.checked)}
              />
              {isOn ? "on" : "off"}
            </label>
          ) : (
            <code>
              <Text>{shownValue(setting.value)}</Text>
            </code>
          )}
          {setting.source !== "default" && <Mark tone="accent">{setting.source}</Mark>}
          {isSwitch && lockedBy === null && setting.source !== "default" && (
            <button type="button" class="quiet" onClick={() => void change(undefined)}>
              Use the default
            </button>
          )}
        </span>
        <span class="soft">
          {setting.help}
          {isSwitch && lockedBy !== null && <span class="amber"> Locked by {lockedBy}.</span>}
        </span>
        {note && <span class="amber">{note}</span>}
        {problem && <Trouble problem={problem} />}
      </dd>
    </div>
  );
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined || value === "") return "not set";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
