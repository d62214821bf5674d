// The address bar as a value: `#/view?filter=…`, so that every state of the page can be linked.
import { computed, signal } from "@preact/signals";

export const VIEWS = [
  { name: "overview", title: "Overview", key: "o", group: "" },
  { name: "sessions", title: "Sessions", key: "s", group: "Work" },
  { name: "requests", title: "Requests", key: "r", group: "Work" },
  { name: "tasks", title: "Tasks", key: "t", group: "Work" },
  { name: "inbox", title: "Inbox", key: "i", group: "Work" },
  { name: "memory", title: "Memory", key: "m", group: "Knowledge" },
  { name: "board", title: "Board", key: "b", group: "Knowledge" },
  { name: "graph", title: "Graph", key: "g", group: "Knowledge" },
  { name: "recall", title: "Recall", key: "c", group: "Knowledge" },
  { name: "settings", title: "Settings", key: "e", group: "Machine" },
  { name: "health", title: "Health", key: "h", group: "Machine" },
] as const;
export type ViewName = (typeof VIEWS)[number]["name"];
type RouteParams = Readonly<Record<string, string>>;
type PageRoute = { view: ViewName; params: RouteParams };

const isView = (name: string): name is ViewName => VIEWS.some((view) => view.name === name);

export function readRoute(hash: string): PageRoute {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return { view: isView(path) ? path : "overview", params: Object.fromEntries(new URLSearchParams(query)) };
}

/** A parameter without a value is left out. */
type ParamChange = Readonly<Record<string, string | undefined>>;

export function href(view: ViewName, params: ParamChange = {}): string {
  const entries = Object.entries(params).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const query = new URLSearchParams(entries).toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

export const route = signal<PageRoute>(readRoute(location.hash));
export const params = computed(() => route.value.params);

addEventListener("hashchange", () => {
  if (!location.hash.startsWith("#login=")) route.value = readRoute(location.hash);
});

/** Goes there and leaves an entry in the browser's history. */
export function go(view: ViewName, change: ParamChange = {}): void {
  location.hash = href(view, change);
}

/** Changes parameters of this view; `replace` for what is typed, so that Back does not go letter by letter. */
export function setParams(change: ParamChange, options: { replace?: boolean } = {}): void {
  const next = href(route.value.view, { ...route.value.params, ...change });
  if (!options.replace) {
    location.hash = next;
    return;
  }
  history.replaceState(null, "", next);
  route.value = readRoute(next);
}
