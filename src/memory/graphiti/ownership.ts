// Who owns a group: one message before all others, so that "my setup" means somebody.
import type { GroupScope } from "../graph/group.ts";
import { promotionBlock } from "../promote/block.ts";

export type GitFacts = { branch?: string; commit?: string; dirty?: boolean };
type Ownership = {
  scope: GroupScope;
  /** Undefined: this machine does not know who they are. */
  owner?: { id: string; label: string };
  /** Base names alone. */
  folders: readonly string[];
  git?: GitFacts;
  at: string;
};

export const ownershipName = (scope: GroupScope): string => `everlong.ownership_context.${scope}`;

export function ownershipText({ scope, owner, folders, git, at }: Ownership, maxChars: number): string {
  const name = owner ? `${owner.label} (${owner.id})` : "unknown";
  const lines = [
    `Owner: ${name}`,
    `${owner?.label ?? "The owner"} owns this ${scope} scope.`,
    ...(folders.length > 0 ? [`Folders: ${folders.join(", ")}`] : []),
    ...(git ? [`Git: ${gitText(git)}`] : []),
  ];
  return promotionBlock({ kind: "ownership_context", scope, at, text: lines.join("\n") }, maxChars);
}

const gitText = ({ branch, commit, dirty }: GitFacts): string =>
  [
    ...(branch === undefined ? [] : [`branch ${branch}`]),
    ...(commit === undefined ? [] : [`commit ${commit}`]),
    ...(dirty === undefined ? [] : [dirty ? "with changed files" : "without changed files"]),
  ].join(", ") || "no commit yet";

/** What may be said of a message's origin: no path and no remote. */
export const sourceText = (scope: GroupScope, git: GitFacts | undefined): string =>
  git ? JSON.stringify({ source: "everlong", scope, git }) : "";
