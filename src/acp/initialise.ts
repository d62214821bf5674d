// The first answer: which version of the protocol is spoken, and what can be done.
import { type InitializeResponse, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk";

/** A newer client is answered with our version and decides; for an older one there is nothing that both speak. */
export function initialised(clientVersion: number, version: string): InitializeResponse {
  if (clientVersion < PROTOCOL_VERSION)
    throw RequestError.unsupportedProtocolVersion(clientVersion, [PROTOCOL_VERSION]);
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "everlong", title: "Everlong", version },
    authMethods: [],
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
    },
  };
}
