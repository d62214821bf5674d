// What is said where the built-in graph is needed and the settings have switched it off.
import type { Failure } from "../../base/failure.ts";

export const graphOff: Failure = {
  code: "graph_off",
  what: "The graph is off.",
  data: "Nothing was changed.",
  next: "Switch it on: everlong settings set graph.enabled true.",
  exit: 1,
};
