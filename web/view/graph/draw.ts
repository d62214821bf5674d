// Draws entities and facts with Cytoscape, in the page's own colours, without a style element of its own.
import cytoscape, { type Core, type ElementDefinition, type NodeSingular } from "cytoscape";
import { colour } from "../../app/theme.ts";
import type { GraphPicture } from "./picture.ts";

export type GraphDrawing = {
  show(picture: GraphPicture, selected: string | undefined): void;
  /** Colours have changed. */
  paint(): void;
  /** Gives the name of what is now in focus; undefined for keys that mean nothing here. */
  key(key: string): string | undefined;
  end(): void;
};
type Handlers = { onFact(uuid: string): void; onEntity(uuid: string): void };

/** Cytoscape adds a style element unless it finds one of this id; the page forbids inline styles and has the rule itself. */
const STYLE_ID = "__________cytoscape_stylesheet";

export function openDrawing(box: HTMLElement, { onFact, onEntity }: Handlers): GraphDrawing {
  if (!document.getElementById(STYLE_ID)) {
    const mark = document.createElement("meta");
    mark.id = STYLE_ID;
    document.head.append(mark);
  }
  const core = cytoscape({
    container: box,
    style: styles(),

    minZoom: 0.15,
    maxZoom: 3,
    autoungrabify: false,
  });
  core.on("tap", "node", (event) => onEntity((event.target as NodeSingular).id()));
  core.on("tap", "edge", (event) => onFact(event.target.id()));
  let before = "";
  let focus: string | undefined;
  return {
    show(picture, selected) {
      const shape = JSON.stringify([picture.nodes.map(({ id }) => id), picture.edges.map(({ id }) => id)]);
      core.batch(() => {
        const wanted = new Map(elements(picture).map((one) => [String(one.data.id), one]));
        core.elements().forEach((one) => {
          if (!wanted.has(one.id())) core.remove(one);
        });
        for (const [id, one] of wanted) {
          const there = core.getElementById(id);
          if (there.empty()) core.add(one);
          else {
            there.data(one.data);
            there.classes(one.classes ?? "");
          }
        }
        core.elements().removeClass("is-selected");
        if (selected) core.getElementById(selected).addClass("is-selected");
      });
      if (shape !== before) arrange(core, before === "");
      before = shape;
    },
    paint: () => void core.style(styles()),
    key(key) {
      const arrows: Record<string, readonly [number, number]> = {
        ArrowUp: [0, -1],
        ArrowDown: [0, 1],
        ArrowLeft: [-1, 0],
        ArrowRight: [1, 0],
      };
      const way = arrows[key];
      if (way) focus = next(core, focus, way);
      else if (key === "Enter" && focus !== undefined) onEntity(focus);
      else if (key === "+" || key === "-")
        core.zoom({
          level: core.zoom() * (key === "+" ? 1.25 : 0.8),
          renderedPosition: { x: core.width() / 2, y: core.height() / 2 },
        });
      else return undefined;
      core.nodes().removeClass("is-focus");
      const node = focus === undefined ? undefined : core.getElementById(focus);
      node?.addClass("is-focus");
      return String(node?.data("name") ?? "");
    },
    end: () => core.destroy(),
  };
}

const elements = ({ nodes, edges }: GraphPicture): ElementDefinition[] => [
  ...nodes.map(({ id, name, kind, isOpen }) => ({
    data: { id, name: name.length > 28 ? `${name.slice(0, 27)}…` : name, kind },
    classes: isOpen ? "is-open" : "",
  })),
  ...edges.map(({ id, from, to, label, hasEnded }) => ({
    data: { id, source: from, target: to, label },
    classes: hasEnded ? "has-ended" : "",
  })),
];

/** Nothing flies about: the new places are simply there. */
function arrange(core: Core, isFirst: boolean): void {
  core
    .layout({
      name: "cose",
      animate: false,
      randomize: isFirst,
      nodeRepulsion: () => 400_000,
      idealEdgeLength: () => 150,
      nodeOverlap: 24,
      gravity: 0.3,
      nodeDimensionsIncludeLabels: true,
      padding: 32,
      numIter: core.nodes().length > 200 ? 250 : 800,
    })
    .run();
  // A small screen shows a part of the drawing that can be read, rather than all of it.
  core.zoom(Math.min(1.15, Math.max(core.zoom(), 0.75)));
  core.center();
}

/** The nearest node in that direction; the first one when nothing is in focus. */
function next(core: Core, from: string | undefined, [x, y]: readonly [number, number]): string | undefined {
  const here = from === undefined ? core.nodes().first() : core.getElementById(from);
  if (from === undefined || here.empty()) return core.nodes().first().id();
  const at = (here as NodeSingular).position();
  let best: { id: string; cost: number } | undefined;
  core.nodes().forEach((node) => {
    const to = node.position();
    const along = (to.x - at.x) * x + (to.y - at.y) * y;
    const aside = Math.abs((to.x - at.x) * y) + Math.abs((to.y - at.y) * x);
    if (along <= 1) return;
    const cost = along + aside * 2;
    if (!best || cost < best.cost) best = { id: node.id(), cost };
  });
  return best?.id ?? from;
}

function styles(): cytoscape.StylesheetJson {
  const [ink, soft, faint, edge, accent, surface, ground] = [
    "ink",
    "soft",
    "faint",
    "edge",
    "accent",
    "surface",
    "ground",
  ].map(colour);
  const text = { "font-family": "ui-sans-serif, system-ui, sans-serif", "font-size": 11 };
  return [
    {
      selector: "node",
      style: {
        ...text,
        label: "data(name)",
        color: ink ?? "",
        "background-color": surface ?? "",
        "border-color": edge ?? "",
        "border-width": 1.5,
        width: 14,
        height: 14,
        "text-valign": "bottom",
        "text-margin-y": 4,
        "text-background-color": ground ?? "",
        "text-background-opacity": 0.85,
      },
    },
    {
      selector: "node.is-open",
      style: {
        "background-color": accent ?? "",
        "border-color": accent ?? "",
        "font-weight": 600,
        width: 18,
        height: 18,
      },
    },
    { selector: "node.is-focus", style: { "border-color": accent ?? "", "border-width": 4 } },
    {
      selector: "edge",
      style: {
        ...text,
        "font-size": 10,
        label: "data(label)",
        color: soft ?? "",
        width: 1.25,
        "line-color": edge ?? "",
        "target-arrow-color": edge ?? "",
        "target-arrow-shape": "triangle",
        "arrow-scale": 0.8,
        "curve-style": "bezier",
        "text-background-color": ground ?? "",
        "text-background-opacity": 0.85,
      },
    },
    { selector: "edge.has-ended", style: { "line-style": "dashed", color: faint ?? "" } },
    {
      selector: "edge.is-selected",
      style: { "line-color": accent ?? "", "target-arrow-color": accent ?? "", width: 2.5, color: accent ?? "" },
    },
  ];
}
