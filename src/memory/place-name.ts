// A repository or branch that a caller names, as the key that is stored for it; refused when it holds a secret.
import { keyMeant } from "../host/repository-key.ts";
import type { Redactor } from "./secret/filter.ts";

/** Never with the name itself: it may be what must not be shown. */
export const PLACE_REFUSED = "repository or branch seems to contain a credential, or is an address without a path.";

/** The key of the repository; undefined when it is refused. */
export function repositoryNamed(redactor: Redactor, name: string): string | undefined {
  const key = keyMeant(name);
  return key === undefined ? undefined : unchanged(redactor, key);
}

/** The branch; undefined when it is refused. */
export const branchNamed = (redactor: Redactor, name: string): string | undefined => unchanged(redactor, name);

function unchanged(redactor: Redactor, text: string): string | undefined {
  const filtered = redactor.text(text);
  return filtered.ok && filtered.value.text === text ? text : undefined;
}
