// A turn as messages for a Graphiti server: filtered, cut, named, and with no more about the folder than the settings allow.
import { basename } from "node:path";
import { gitContext } from "../../host/git.ts";
import { hasChanges } from "../../host/git-recent.ts";
import type { EpisodeInput } from "../../memory/graph/contract.ts";
import { type TurnText, turnMessages } from "../../memory/graph/message.ts";
import type { GraphitiMessage, OutboxDraft } from "../../memory/graphiti/outbox-row.ts";
import { type GitFacts, ownershipName, ownershipText, sourceText } from "../../memory/graphiti/ownership.ts";
import type { Workspace } from "../workspace.ts";
import type { GraphGroup } from "./feed.ts";
import { knownOwner } from "./user-key.ts";

export type OutgoingGroup = Pick<GraphGroup, "id" | "scope">;
export type Outgoing = { groups: readonly OutgoingGroup[]; git: GitFacts | undefined };

const GIT_MS = 2000;

/** Those that the settings send turns to. */
export function sentGroups<Group extends OutgoingGroup>({ settings }: Workspace, groups: readonly Group[]): Group[] {
  const scopes = settings.values["memory.graphiti.scopes"];
  return groups.filter(({ scope }) => scopes === "both" || scopes === scope);
}

/** What lives or goes together: who owns each group, then the turn itself. */
export const unitsOf = (workspace: Workspace, turn: TurnText, { groups, git }: Outgoing): OutboxDraft[][] => [
  ...ownersOf(workspace, groups, turn.user.at, git),
  drafts(workspace, groups, turn, git),
];

function drafts(
  { redact, settings }: Workspace,
  groups: readonly OutgoingGroup[],
  turn: TurnText,
  git: GitFacts | undefined,
): OutboxDraft[] {
  const clean = (part: { text: string; at: string }) => ({ ...part, text: redact(part.text) });
  const { user, assistant, ...rest } = turn;
  const messages = turnMessages(
    { ...rest, user: clean(user), ...(assistant ? { assistant: clean(assistant) } : {}) },
    settings.values["memory.graphiti.maxMessageChars"],
  );
  return groups.flatMap(({ id, scope }) =>
    messages.map((episode) => ({
      group: id,
      scope,
      kind: "turn" as const,
      unit: turn.turnId,
      session: turn.session,
      turn: turn.turn,
      message: messageOf(episode, sourceText(scope, git)),
    })),
  );
}

/** Each a unit of its own, queued once for a server and group. What belongs to the user belongs to no folder. */
export function ownersOf(
  workspace: Workspace,
  groups: readonly OutgoingGroup[],
  at: string,
  git: GitFacts | undefined,
): OutboxDraft[][] {
  const { redact, settings, root } = workspace;
  const { values } = settings;
  if (!values["memory.graphiti.includeSystemMessages"]) return [];
  const owner = knownOwner(workspace);
  return groups.map(({ id, scope }) => {
    const ofFolder = scope === "user" ? { folders: [] } : { folders: [basename(root)], ...(git ? { git } : {}) };
    const ownership = { scope, at, ...(owner ? { owner } : {}), ...ofFolder };
    const content = redact(ownershipText(ownership, values["memory.graphiti.maxMessageChars"]));
    const message: GraphitiMessage = {
      content,
      name: ownershipName(scope),
      role_type: "system",
      role: "everlong",
      timestamp: at,
      source_description: sourceText(scope, scope === "user" ? undefined : git),
    };
    return [{ group: id, scope, kind: "ownership" as const, unit: `ownership:${id}`, message }];
  });
}

/** Undefined: the settings keep it here. */
export async function gitFactsOf({ settings, context, env, secrets }: Workspace): Promise<GitFacts | undefined> {
  if (!settings.values["memory.graphiti.includeGitMetadata"]) return undefined;
  const { branch, headCommit } = gitContext(context.cwd);
  const dirty = await hasChanges(context.cwd, { env: { base: env, secrets }, limitMs: GIT_MS });
  return {
    ...(branch === undefined ? {} : { branch }),
    ...(headCommit === undefined ? {} : { commit: headCommit }),
    ...(dirty === undefined ? {} : { dirty }),
  };
}

const messageOf = ({ text, name, role, roleType, validAt }: EpisodeInput, source: string): GraphitiMessage => ({
  content: text,
  name,
  role_type: roleType === "tool" ? "system" : roleType,
  role: role ?? roleType,
  timestamp: validAt ?? new Date().toISOString(),
  source_description: source,
});
