// The signals of a search: switch each on or off, and see where one result ranks in each.
import type { RecallHitShape } from "../../../src/schema/api/recall.ts";
import { setParams } from "../../app/route.ts";

type SignalsProps = { results: readonly RecallHitShape[]; off: readonly string[]; picked: string | undefined };

/** Its rank among all results by one signal alone; undefined where it has none. */
function rankIn(results: readonly RecallHitShape[], name: string, id: string): number | undefined {
  const list = results
    .flatMap((hit) => {
      const value = (hit.raw ?? hit.parts)?.[name];
      return value ? [{ id: hit.id, value }] : [];
    })
    .sort((a, b) => b.value - a.value);
  const at = list.findIndex((one) => one.id === id);
  return at < 0 ? undefined : at + 1;
}

export function Signals({ results, off, picked }: SignalsProps) {
  const names = [...new Set([...results.flatMap((hit) => Object.keys(hit.parts ?? {})), ...off])].sort();
  if (names.length === 0) return null;
  const toggle = (name: string, on: boolean): void => {
    const next = on ? off.filter((one) => one !== name) : [...off, name];
    setParams({ without: next.join(",") || undefined });
  };
  return (
    <fieldset class="signals">
      <legend class="faint">Signals</legend>
      {names.map((name) => {
        const rank = picked === undefined ? undefined : rankIn(results, name, picked);
        return (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={!off.includes(name)}
              onChange={(event) => toggle(name, event.currentTarget.checked)}
            />
            {name}
            {picked !== undefined && <span class="faint">{rank === undefined ? "none" : `#${rank}`}</span>}
          </label>
        );
      })}
    </fieldset>
  );
}
