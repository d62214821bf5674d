// What a member may not: another tenant, another user, a scope that the token lacks, a repository that it does not cover.
import { isRecord } from "../../base/json.ts";
import { keyMeant } from "../../host/repository-key.ts";
import { covers } from "../../memory/record/reach.ts";
import type { GatewayRefusal } from "../contract.ts";
import { refusal } from "../refusal.ts";
import { isOther, type Member } from "./member.ts";

export const forbidden = (scope: string): GatewayRefusal =>
  refusal("forbidden_scope", { hint: `Use a token with the scope ${scope}.`, details: { scope } });

/** What a query or a body names. A repository that the token does not cover is as one that is not there. */
export function refusedText(member: Member, fields: unknown): GatewayRefusal | undefined {
  if (!isRecord(fields)) return undefined;
  if (isOther(member, fields)) return refusal("forbidden_tenant");
  const { repository } = fields;
  if (typeof repository !== "string" || covers(member, keyMeant(repository) ?? repository)) return undefined;
  return uncovered;
}

export const uncovered = refusal("not_found", {
  message: "Repository not found.",
  hint: "Check its name, and what the token covers.",
});
