// An imported session is another agent's: it can be read and searched, not continued.
import { type Failure, refusal } from "../../base/failure.ts";
import { importedFrom } from "../../schema/imported.ts";

export function refuseImported(sessionId: string): Failure | undefined {
  const client = importedFrom(sessionId);
  if (client === undefined) return undefined;
  return refusal(
    "session_imported",
    `Session ${sessionId} was imported from ${client}; it can only be read.`,
    `Search it with: everlong recall --session ${sessionId} "words"`,
  );
}
