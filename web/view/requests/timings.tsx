// Where the time of a request went, and how often it was sent.
import type { RequestDetail } from "../../../src/schema/api/request.ts";
import { bytes, count, duration } from "../../part/figure.tsx";

export function Timings({ value }: { value: RequestDetail }) {
  const stages = Object.entries(value.timings);
  return (
    <>
      {stages.length > 0 && (
        <div class="section">
          <h2>Time by stage</h2>
          <table class="narrow">
            <tbody>
              {stages.map(([name, ms]) => (
                <tr key={name}>
                  <td>{name}</td>
                  <td class="number">{duration(ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {value.attempts.length > 0 && (
        <div class="section">
          <h2>Sent</h2>
          <table class="narrow">
            <thead>
              <tr>
                <th>Try</th>
                <th>Answer</th>
                <th class="number">Tokens</th>
                <th class="number">Bytes</th>
              </tr>
            </thead>
            <tbody>
              {value.attempts.map((attempt, index) => (
                <tr key={index}>
                  <td>{index + 1}</td>
                  <td>
                    {attempt.status ?? "none"} <span class="red">{attempt.error}</span>
                  </td>
                  <td class="number">{count(attempt.tokens)}</td>
                  <td class="number">{bytes(attempt.bytes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
