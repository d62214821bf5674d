// What the pages can ask of a home through /api, as the code that does the work gives it.
export type { DashboardOperations } from "../dashboard/dashboard.ts";
export type { GraphViews } from "../graph/views.ts";
