// The end of a request whose body was refused.
import type { IncomingMessage } from "node:http";

/** How long the rest of a body may still come in after its request was answered. */
const LINGER_MS = 2000;

/**
 * The rest is thrown away unread by us: closing at once would reset the connection, and the client would never see why.
 * Who goes on sending is cut off.
 */
export function letGo(req: IncomingMessage): void {
  if (req.complete) return;
  req.resume();
  const cut = setTimeout(() => req.socket.destroy(), LINGER_MS).unref();
  req.once("close", () => clearTimeout(cut));
}
