// Whether others find the sessions of a member: what the team allows, and what the member decided.
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";

/** `team`: what members may find of each other. `shares`: false when this member refuses. */
export type SharingView = { team: "none" | "repository"; shares: boolean };

export type SharingOperations = {
  now(): Promise<Result<SharingView, Failure>>;
  choose(shares: boolean): Promise<Result<SharingView, Failure>>;
};
