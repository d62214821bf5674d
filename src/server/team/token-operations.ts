// What can be done with the tokens of a tenant, on its database or through a node.
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import type { TokenView } from "./tokens.ts";

export type TokenWish = {
  name: string;
  tenant: string;
  user: string;
  scopes: readonly string[];
  repositories: readonly string[];
  expires?: string | undefined;
};
/** The token is shown here, and nowhere again. */
export type IssuedToken = {
  id: string;
  name: string;
  token: string;
  tenant: string;
  user: string;
  scopes: readonly string[];
  repositories: readonly string[];
  expires: string | null;
};

export type TokenOperations = {
  issue(wish: TokenWish): Promise<Result<IssuedToken, Failure>>;
  list(): Promise<Result<{ items: TokenView[] }, Failure>>;
  /** By name or id. */
  revoke(named: string): Promise<Result<{ revoked: string[] }, Failure>>;
};
