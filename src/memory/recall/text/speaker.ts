// Who said a message: the name that it carries, or the one that its text begins with, as chats are often written down.
import { isName } from "../item.ts";

const NAME_FIRST = /^(\p{Lu}[\p{L}\p{M}'’-]+(?: \p{Lu}[\p{L}\p{M}'’.-]*)?): /u;

/** A name, or else the role. */
export const speakerOf = (role: string, text: string): string =>
  isName(role) ? role : (NAME_FIRST.exec(text.slice(0, 80))?.[1] ?? role);
