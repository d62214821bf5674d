// A consolidation that runs on its own after its session: how its process knows, and where it says what became of it.
import { join } from "node:path";
import type { Workspace } from "../workspace.ts";

/** In the environment of a consolidation that runs on its own. */
export const DETACHED = "EVERLONG_DETACHED";
export const PARENT_SESSION = "EVERLONG_PARENT_SESSION";
export const PARENT_ENGAGEMENT = "EVERLONG_PARENT_ENGAGEMENT";

/** What became of runs that nobody watched. */
export const consolidationLog = (logs: string): string => join(logs, "consolidate.log");

export const isDetached = ({ env }: Pick<Workspace, "env">): boolean => Boolean(env[DETACHED]);
