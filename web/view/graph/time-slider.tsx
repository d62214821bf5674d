// Moves through time: a slider over the moments at which something changed, with play.
import { useEffect, useState } from "preact/hooks";
import type { FactShape } from "../../../src/schema/api/graph.ts";
import { setParams } from "../../app/route.ts";
import { clockOf, dayOf } from "../../part/time.tsx";
import { momentsOf } from "./picture.ts";

const STEP_MS = 900;

type TimeSliderProps = {
  facts: readonly FactShape[];
  moment: number | undefined;
  preview(moment: number | undefined): void;
};

export function TimeSlider({ facts, moment, preview }: TimeSliderProps) {
  const moments = momentsOf(facts);
  const [isPlaying, setPlaying] = useState(false);
  const last = moments.length;
  // Place 0 is the first moment, `last` is now.
  const place =
    moment === undefined
      ? last
      : Math.max(
          0,
          moments.findLastIndex((one) => one <= moment),
        );
  const show = (next: number): void => preview(next >= last ? undefined : moments[next]);
  const settle = (next: number): void => {
    const chosen = next >= last ? undefined : moments[next];
    setParams({ at: chosen === undefined ? undefined : new Date(chosen).toISOString() }, { replace: true });
    preview(undefined);
  };
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => {
      if (place >= last) {
        setPlaying(false);
        settle(last);
      } else show(place + 1);
    }, STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, place]);
  const date = place >= last ? undefined : moments[place];
  const text = date === undefined ? "now" : `${dayOf(new Date(date))} ${clockOf(new Date(date))}`;
  return (
    <div class="time-slider">
      <button
        type="button"
        onClick={() => {
          if (!isPlaying && place >= last) show(0);
          setPlaying(!isPlaying);
        }}
      >
        {isPlaying ? "Pause" : "Play"}
      </button>
      <input
        type="range"
        aria-label="As of"
        aria-valuetext={text}
        min={0}
        max={last}
        step={1}
        value={place}
        onInput={(event) => {
          setPlaying(false);
          show(Number(event.currentTarget.value));
        }}
        onChange={(event) => settle(Number(event.currentTarget.value))}
      />
      <output title={date === undefined ? "" : `${new Date(date).toISOString()}`}>as of {text}</output>
    </div>
  );
}
