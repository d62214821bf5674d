// The headers of every model request: who asked, what for, and to our own machine which session.

import { isLoopback } from "../base/address.ts";
import { VERSION } from "../base/version.ts";
import type { ModelRequest, ModelTarget } from "./contract.ts";
import { PlainHeaders } from "./plain-headers.ts";

/** The SDK's headers with the configured ones and ours on top; names are matched whatever their case. */
export function requestHeaders(sdk: RequestInit["headers"], target: ModelTarget, request: ModelRequest): PlainHeaders {
  const headers = new PlainHeaders(sdk as Record<string, string>);
  for (const [name, value] of Object.entries(target.headers)) headers.set(name, value);
  // First of all who asks: a gateway of ours leaves our own requests as they are.
  headers.set("User-Agent", `everlong/${VERSION} ${headers.get("user-agent") ?? ""}`.trim());
  headers.set("X-Initiator", request.initiator);
  headers.set("X-Interaction-Type", request.interaction);
  if (isLoopback(target.baseUrl ?? "")) headers.set("X-Everlong-Session", request.sessionId);
  return headers;
}
