// What the dashboard sees and changes beside memory, graph and proxy: sessions, tasks, charts, settings, health.
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import type { HealthView } from "../../schema/api/health.ts";
import type { Overview, OverviewRange } from "../../schema/api/overview.ts";
import type { SessionDetail, SessionEvent, SessionRow, SessionSource } from "../../schema/api/session.ts";
import type { SettingShape } from "../../schema/api/settings.ts";
import type { TaskShape } from "../../schema/api/task.ts";
import type { ControlOutcome, SessionControl } from "../../schema/session-control.ts";
import type { ListPage, OperationOutcome, Paging } from "./contract.ts";
import type { RequestInspection } from "./inspect.ts";

export type SessionsQuery = Paging & {
  folder?: string;
  client?: string;
  source?: SessionSource;
  since?: string;
  until?: string;
  q?: string;
};
type SessionEventsQuery = Paging & { before?: string; types?: readonly string[] };
type SessionEventsPage = ListPage<{ cursor: string; event: SessionEvent }> & { end: string; previous?: string };

type DoctorFinding = { name: string; status: "ok" | "warn" | "fail"; finding: string; fix?: string };

export type DashboardOperations = RequestInspection & {
  /** Whether requests are recorded at all. */
  recording: boolean;
  overview(range: OverviewRange): OperationOutcome<Overview>;
  sessions(query: SessionsQuery): OperationOutcome<ListPage<SessionRow>>;
  session(id: string): OperationOutcome<SessionDetail>;
  sessionEvents(id: string, query: SessionEventsQuery): OperationOutcome<SessionEventsPage>;
  renameSession(id: string, title: string): OperationOutcome<SessionRow>;
  /** `title` is typed by the user: it must be the session's own. */
  deleteSession(id: string, title: string): OperationOutcome<{ deleted: number }>;
  /** Only a session of our agent that is open somewhere; the failure says how to go on with another. */
  controlSession(id: string, control: SessionControl, signal: AbortSignal): OperationOutcome<ControlOutcome>;
  exportSession(id: string, format: string): OperationOutcome<{ type: string; name: string; text: string }>;
  tasks(session?: string): OperationOutcome<ListPage<TaskShape>>;
  settings(): OperationOutcome<ListPage<SettingShape>>;
  /** Undefined: back to the default. */
  setSetting(
    key: string,
    value: boolean | undefined,
  ): OperationOutcome<{ setting: SettingShape; needsRestart: boolean }>;
  trusted(): OperationOutcome<ListPage<{ folder: string; at: string }>>;
  revokeTrust(folder: string): OperationOutcome<{ folder: string; wasTrusted: boolean }>;
  consents(): OperationOutcome<ListPage<{ root: string; origin: string; at: string }>>;
  revokeConsent(root: string, origin: string): OperationOutcome<{ root: string; origin: string; wasGiven: boolean }>;
  /** Beside what the gateway knows of itself. */
  health(): OperationOutcome<Pick<HealthView, "queues" | "store" | "on" | "off" | "upstreams" | "errors">>;
  doctor(): OperationOutcome<{ checks: DoctorFinding[]; counts: Record<"ok" | "warn" | "fail", number> }>;
};
export type OpenDashboard = () => Promise<Result<DashboardOperations, Failure>>;
