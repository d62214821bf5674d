// How long a graph that closes may still read episodes; the rest waits in the store. Alone, so that it loads no graph.
export const GRAPH_CLOSE_MS = 2000;
