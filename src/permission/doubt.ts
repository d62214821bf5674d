// Commands that only look by their words, but not where they would run: they lose that standing, and the reason is kept.
import type { PermissionPart } from "./part.ts";
import type { PlannedCommand } from "./shell/plan.ts";

/** Why a command must be asked about all the same, as the end of a sentence. Must not throw. */
export type Doubt = (command: PlannedCommand) => Promise<string | undefined>;

export async function withDoubts(parts: readonly PermissionPart[], doubt: Doubt): Promise<PermissionPart[]> {
  return Promise.all(
    parts.map(async (part) => {
      if (part.kind !== "shell" || !part.readOnlyPlaces || !part.planned) return part;
      const reason = await doubt(part.planned.command);
      if (reason === undefined) return part;
      const { readOnlyPlaces: _at, searchedFolders: _into, ...rest } = part;
      return { ...rest, doubt: reason };
    }),
  );
}
