// The one door for faces: the shapes they work with, and opening a session. Behind it everything is loaded at first use.
import type { Failure } from "../base/failure.ts";
import type { Result } from "../base/result.ts";
import type { Opened, OpenOptions } from "./face.ts";

export type { CommandResult } from "./command-result.ts";
export type {
  AbandonedAgent,
  AgentPrompt,
  Client,
  Opened,
  OpenOptions,
  PermissionAsk,
  PlanAnswer,
  PlanQuestion,
  Prompts,
  SessionChoice,
  SessionView,
  TasksClient,
  UserQuestion,
} from "./face.ts";

export async function openClient(options: OpenOptions): Promise<Result<Opened, Failure>> {
  const { openSession } = await import("./session/open-session.ts");
  return openSession(options);
}
