// Which part of the graph a person means: scopes and groups, times as people write them.
import type { Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { repositoryKey } from "../../host/git.ts";
import type { FactQuery } from "../../memory/graph/contract.ts";
import { relationName } from "../../memory/graph/extract/relation.ts";
import { isGroupId } from "../../memory/graph/group.ts";
import { instantAt } from "../../memory/graph/time.ts";
import type { ItemPlace } from "../../memory/recall/item.ts";
import type { FactChoice, Instant } from "../../schema/graph.ts";

import { parseTime } from "../recall/time.ts";
import type { Workspace } from "../workspace.ts";
import { type GraphGroup, groupsOf, userGroup } from "./feed.ts";

const SCOPES = ["session", "workspace", "user", "all"];
const LIST_LIMIT = 50;

export const refused = (code: string, what: string, next: string, exit: 1 | 2 = 1) =>
  fail<Failure>({ code, what, data: "Nothing was changed.", next, exit });

/** Without a workspace nobody stands anywhere: groups are named, or all of them are meant. */
export class GraphChoices {
  readonly #workspace: Workspace | undefined;
  readonly #session: string | undefined;

  constructor(workspace: Workspace | undefined, session: string | undefined) {
    this.#workspace = workspace;
    this.#session = session;
  }

  /** Undefined: all of them. */
  groups({ group, scope = "workspace" }: FactChoice): Result<readonly string[] | undefined, Failure> {
    if (group !== undefined)
      return isGroupId(group)
        ? ok([group])
        : refused("usage", `"${group}" is not a group id.`, "Use letters, digits, _ and -.", 2);
    if (!SCOPES.includes(scope))
      return refused("usage", `There is no scope "${scope}".`, `Use one of: ${SCOPES.join(", ")}.`, 2);
    if (scope === "all") return ok(undefined);
    if (!this.#workspace)
      return refused("usage", `The scope "${scope}" has no meaning here.`, "Use scope all, or name a group.", 2);
    if (scope === "session" && this.#session === undefined)
      return refused("usage", "No session is open here.", "Use --scope workspace, or /graph inside a session.", 2);
    return ok(
      this.#own()
        .filter((own) => own.scope === scope)
        .map(({ id }) => id),
    );
  }

  /** Where recall finds a group's facts; undefined for a group of somebody else. */
  placeOf(group: string): ItemPlace | undefined {
    return this.#own().find(({ id }) => id === group)?.place;
  }

  time(text: string | undefined): Result<Instant | undefined, Failure> {
    const ms = parseTime(text, "since");
    if (ms === null)
      return refused(
        "usage",
        `"${text}" is not a date or time.`,
        "Write 2026-01-31, 2026-01-31T12:00, 7d, yesterday or now.",
        2,
      );
    return ok(ms === undefined ? undefined : instantAt(ms));
  }

  /** What holds now, unless another time or ended facts are wanted. */
  query(choice: FactChoice, now: Instant): Result<FactQuery, Failure> {
    const [groups, asOf] = [this.groups(choice), this.time(choice.asOf)];
    const [since, until] = [this.time(choice.since), this.time(choice.until)];
    if (!groups.ok) return groups;
    if (!asOf.ok) return asOf;
    if (!since.ok) return since;
    if (!until.ok) return until;
    return ok({
      ...optional("groups", groups.value),
      ...optional("asOf", asOf.value),
      ...optional("currentAt", asOf.value === undefined && !choice.expired ? now : undefined),
      ...optional("since", since.value),
      ...optional("until", until.value),
      ...optional("relation", choice.relation === undefined ? undefined : relationName(choice.relation)),
      limit: choice.limit ?? LIST_LIMIT,
    });
  }

  #own(): GraphGroup[] {
    const workspace = this.#workspace;
    if (!workspace) return [];
    const repository = workspace.redact(repositoryKey(workspace.context.cwd));
    return [...groupsOf(workspace, { session: this.#session ?? "", repository }), userGroup(workspace)];
  }
}
