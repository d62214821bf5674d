// The gateway, for the faces: running it, asking it, and starting other agents through it.
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import type { AgentRun } from "../../proxy/identify/run.ts";
import type { ProxyOperations } from "../../server/manage/contract.ts";
import type { RunningGateway } from "../gateway/gateway.ts";
import type { GatewayView, HeldGateway, WithRequest, WithWorkspace } from "../gateway/with.ts";
import type { LaunchFile } from "../gateway/with-launch.ts";
import type { Opener, ResultPromise } from "./open.ts";

export type { ProxyOperations } from "../../server/manage/contract.ts";
export type { RunningGateway } from "../gateway/gateway.ts";
export type { GatewayView, HeldGateway, WithRequest } from "../gateway/with.ts";

export type GatewayAccess = {
  /** Settings for this run, by their keys. */
  start(flags: Record<string, string>): ResultPromise<RunningGateway>;
  /** A fresh one-time link from the gateway that runs. */
  link(): ResultPromise<string>;
  /** Asks the gateway that runs, or the store and the files themselves. */
  operations: Opener<ProxyOperations>;
  /** What starting another agent through the gateway needs. */
  launch(): Promise<LaunchAccess>;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** The steps of one `everlong with`. */
export type LaunchAccess = {
  workspace(): ResultPromise<WithWorkspace>;
  findProgram(name: string, env: Environment, cwd: string): string | undefined;
  /** The user's environment with what is added, without keys and tokens of our own. */
  environment(env: Environment, added: Readonly<Record<string, string>>): Record<string, string>;
  codexSignIn(path: string, env: Record<string, string>): Promise<"chatgpt" | "key" | undefined>;
  findSuiting(home: string, wanted: WithRequest): Promise<GatewayView | undefined>;
  holdGateway(home: string, wanted: WithRequest): ResultPromise<HeldGateway>;
  /** Makes the private folder of this run. */
  openFolder(home: string): Result<string, Failure>;
  removeFolder(folder: string): void;
  writeFiles(files: readonly LaunchFile[]): Result<void, Failure>;
  /** Gives the run's token. */
  openRun(folder: string, run: AgentRun): Result<string, Failure>;
  /** Whether a request of the run has come. */
  wasUsed(folder: string): boolean;
  /** Gives its exit code. */
  runAgent(path: string, args: readonly string[], env: Record<string, string>): ResultPromise<number>;
};
