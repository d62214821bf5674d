// The small environment of an MCP server: enough to find and run programs, never a key of ours.
import { type ChildEnvironment, childEnvironment } from "../../host/environment.ts";

const KEPT =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TMP|TEMP|(https?|all|no|ftp)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/i;

/** `own` is the server's `env`: what the user wrote there is meant for it. */
export function serverEnvironment(from: ChildEnvironment, own: Record<string, string>): Record<string, string> {
  const small = Object.entries(childEnvironment(from)).filter(([name]) => KEPT.test(name));
  return { ...Object.fromEntries(small), ...own };
}
