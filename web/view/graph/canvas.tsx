// The drawing: loaded when first shown, moved by mouse, touch or arrow keys.
import { useEffect, useRef, useState } from "preact/hooks";
import { colours } from "../../app/theme.ts";
import { Failed } from "../../part/state.tsx";
import type { GraphDrawing } from "./draw.ts";
import type { GraphPicture } from "./picture.ts";

type CanvasProps = {
  picture: GraphPicture;
  selected: string | undefined;
  onFact(uuid: string): void;
  onEntity(uuid: string): void;
};

export function Canvas(props: CanvasProps) {
  const box = useRef<HTMLDivElement>(null);
  const drawing = useRef<GraphDrawing | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [isMissing, setMissing] = useState(false);
  const [focused, setFocused] = useState("");
  useEffect(() => {
    let isOver = false;
    import("./draw.ts").then(
      ({ openDrawing }) => {
        if (isOver || !box.current) return;
        drawing.current = openDrawing(box.current, {
          onFact: (uuid) => latest.current.onFact(uuid),
          onEntity: (uuid) => latest.current.onEntity(uuid),
        });
        drawing.current.show(latest.current.picture, latest.current.selected);
      },
      () => setMissing(true),
    );
    return () => {
      isOver = true;
      drawing.current?.end();
      drawing.current = undefined;
    };
  }, []);
  const shape = JSON.stringify(props.picture);
  useEffect(() => drawing.current?.show(props.picture, props.selected), [shape, props.selected]);
  useEffect(() => drawing.current?.paint(), [colours.value]);
  if (isMissing) return <Failed problem={NO_DRAWING} retry={() => location.reload()} />;
  const onKeyDown = (event: KeyboardEvent): void => {
    const name = drawing.current?.key(event.key);
    if (name === undefined) return;
    event.preventDefault();
    setFocused(name);
  };
  return (
    <>
      <div
        class="graph-canvas"
        ref={box}
        role="application"
        aria-label="Graph of entities and facts; arrow keys move, Enter expands, the table has the same data"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move in it.
        tabIndex={0}
        onKeyDown={onKeyDown}
      />
      <p class="unseen" role="status">
        {focused}
      </p>
    </>
  );
}

const NO_DRAWING = {
  kind: "unreachable" as const,
  status: 0,
  code: "drawing_missing",
  message: "The drawing could not be loaded.",
  hint: "Your data is not affected, and the table shows the same facts.",
};
