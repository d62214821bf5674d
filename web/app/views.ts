// Which file draws which view; none is loaded before it is asked for.
import type { ComponentType } from "preact";
import type { ViewName } from "./route.ts";

export const views: Record<ViewName, () => Promise<ComponentType>> = {
  overview: () => import("../view/overview/overview.tsx").then((file) => file.Overview),
  sessions: () => import("../view/sessions/sessions.tsx").then((file) => file.Sessions),
  requests: () => import("../view/requests/requests.tsx").then((file) => file.Requests),
  tasks: () => import("../view/tasks/tasks.tsx").then((file) => file.Tasks),
  inbox: () => import("../view/inbox/inbox.tsx").then((file) => file.Inbox),
  memory: () => import("../view/memory/memory.tsx").then((file) => file.Memory),
  board: () => import("../view/board/board.tsx").then((file) => file.Board),
  graph: () => import("../view/graph/graph.tsx").then((file) => file.Graph),
  recall: () => import("../view/recall/recall.tsx").then((file) => file.Recall),
  settings: () => import("../view/settings/settings.tsx").then((file) => file.Settings),
  health: () => import("../view/health/health.tsx").then((file) => file.Health),
};
