// The directory of a session: safe inside `sessions/` for any key, and one for each key on every file system.
import { createHash } from "node:crypto";

const PLAIN = /^[a-z0-9][a-z0-9_.-]{0,79}$/;
/** Windows reserves the names of its devices, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;
const KEPT = 60;

/** X18. `identity` is given for every identity after the first that uses the key. */
export function directoryName(key: string, identity?: string): string {
  const name = isPlain(key) ? key : `${readable(key)}~${hash(key, 12)}`;
  return identity === undefined ? name : `${name}~${hash(identity, 8)}`;
}

/** What people may recognise of the key. Windows minds `con.txt~…` too, so such a dot goes. */
function readable(key: string): string {
  const text = key.toLowerCase().replace(/[^a-z0-9_.-]/g, "_");
  return text.replace(RESERVED, (device) => device.replace(".", "_")).slice(0, KEPT);
}

function isPlain(key: string): boolean {
  return PLAIN.test(key) && !key.endsWith(".") && !RESERVED.test(key);
}

/** UTF-8 has no form for a lone surrogate, so a key with one is hashed as it stands in memory. */
function hash(text: string, digits: number): string {
  const encoding = text.isWellFormed() ? "utf8" : "utf16le";
  return createHash("sha256").update(text, encoding).digest("hex").slice(0, digits);
}
