// Health: whether the gateway can do its work, what waits, what went wrong and what to do about it.
import { useState } from "preact/hooks";
import { doctorView, type HealthView, healthView } from "../../../src/schema/api/health.ts";
import { type ApiResult, call } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { bytes, count, plural } from "../../part/figure.tsx";
import { Facts, Mark, type Tone } from "../../part/form.tsx";
import { Failed, Loaded } from "../../part/state.tsx";
import { Text } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";
import "./health.css";

const TONES: Record<string, Tone> = { ok: "accent", degraded: "amber", warn: "amber", down: "red", fail: "red" };
const toneOf = (status: string): Tone => TONES[status] ?? "plain";
const WORDS: Record<HealthView["status"], string> = {
  ok: "Everything works.",
  degraded: "Working, with problems.",
  down: "Not working.",
};

export function Health() {
  const health = useResource("health", (signal) => call(healthView, "/api/health", { signal }), [
    "proxy.soft_failure",
    "gateway",
  ]);
  return (
    <div class="page">
      <header class="head">
        <h1>Health</h1>
        <button type="button" onClick={health.reload}>
          Look again
        </button>
      </header>
      <Loaded of={health}>{(value) => <Shown value={value} />}</Loaded>
      <Doctor />
    </div>
  );
}

function Shown({ value }: { value: HealthView }) {
  return (
    <>
      <section class="stack">
        <p class="lead">
          <Mark tone={toneOf(value.status)}>{value.status}</Mark> {WORDS[value.status]}
        </p>
        <Checks rows={value.checks.map((check) => ({ ...check, fix: undefined }))} />
      </section>
      <section class="section">
        <h2>Last errors</h2>
        {value.errors.length === 0 ? (
          <p class="soft">None since the gateway started.</p>
        ) : (
          <ul class="errors">
            {value.errors.map((error, index) => (
              <li key={index}>
                <p>
                  <span class="faint">
                    <When at={error.at} seconds />
                  </span>{" "}
                  <strong>{error.part}</strong> <Text>{error.message}</Text> <span class="faint">[{error.code}]</span>
                </p>
                {error.todo && <p class="soft">{error.todo}</p>}
              </li>
            ))}
          </ul>
        )}
      </section>
      <section class="section">
        <h2>Queues</h2>
        <table class="narrow">
          <thead>
            <tr>
              <th>Queue</th>
              <th class="number">Waiting</th>
              <th class="number">Dropped</th>
            </tr>
          </thead>
          <tbody>
            {value.queues.map((queue) => (
              <tr key={queue.name}>
                <td>{queue.name}</td>
                <td class="number">{count(queue.waiting)}</td>
                <td class={queue.dropped > 0 ? "number red" : "number"}>{count(queue.dropped)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <section class="section">
        <h2>This gateway</h2>
        <Facts
          rows={[
            ["Version", value.version],
            ["Process", String(value.pid)],
            ["Since", <When key="s" at={value.startedAt} />],
            [
              "Store",
              <>
                <code>{value.store.path}</code> {bytes(value.store.bytes)}
              </>,
            ],
            ["Write-ahead log", bytes(value.store.walBytes)],
            ["On", value.on.join(", ")],
            ["Off", value.off.join(", ")],
            [
              "Upstreams",
              value.upstreams.map(({ name, host, key }) => `${name} (${host}${key ? ", own key" : ""})`).join(", "),
            ],
            ...Object.entries(value.counters).map(([name, number]) => [name, count(number)] as const),
          ]}
        />
      </section>
    </>
  );
}

type CheckRow = { name: string; status: string; finding: string; fix?: string | undefined };

const Checks = ({ rows }: { rows: readonly CheckRow[] }) => (
  <ul class="checks">
    {rows.map((row) => (
      <li key={row.name}>
        <Mark tone={toneOf(row.status)}>{row.status}</Mark>
        <span>
          <strong>{row.name}</strong>{" "}
          <span class="soft">
            <Text>{row.finding}</Text>
          </span>
          {row.fix && <span class="amber"> {row.fix}</span>}
        </span>
      </li>
    ))}
  </ul>
);

type DoctorAnswer = ApiResult<(typeof doctorView)["_output"]>;

/** It looks at the whole installation, so it runs when somebody asks. */
function Doctor() {
  const [answer, setAnswer] = useState<DoctorAnswer>();
  const [busy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    setAnswer(await call(doctorView, "/api/health/doctor", { method: "POST" }));
    setBusy(false);
  };
  return (
    <section class="section">
      <div class="head">
        <h2>Doctor</h2>
        <button type="button" disabled={busy} onClick={() => void run()}>
          {busy ? "Checking…" : "Check the installation"}
        </button>
      </div>
      {!answer && (
        <p class="soft">
          Checks packages, data, settings and providers, like <code>everlong doctor</code>. It changes nothing.
        </p>
      )}
      {answer && !answer.ok && <Failed problem={answer.error} retry={() => void run()} />}
      {answer?.ok && (
        <div class="stack">
          <p role="status">
            {answer.value.counts.ok} ok, {plural(answer.value.counts.warn, "warning")},{" "}
            {plural(answer.value.counts.fail, "failure")}
          </p>
          <Checks rows={answer.value.checks} />
        </div>
      )}
    </section>
  );
}
