// Memories kept by a service: another program, on this machine or elsewhere, that speaks our routes.
import { type JsonRequest, requestJson } from "../../base/json-request.ts";
import type { Place, Skip, Strategy } from "./contract.ts";
import { type SignedRequest, signatureHeaders } from "./signature.ts";
import { ServiceAddress, sendable } from "./strategy-service-address.ts";
import { type ServiceParts, serviceStrategy } from "./strategy-service-client.ts";

const MAX_BYTES = 256 * 1024;

export type ServiceOptions = ServiceParts & {
  url: string | undefined;
  token?: string | undefined;
  /** The token of this machine's own gateway, for an address on this machine. */
  localToken?: () => string | undefined;
  hmacKey?: string | undefined;
  timeoutMs: number;
  place: Place;
  userScope: boolean;
  /** The folder is trusted. */
  trusted: boolean;
  /** Consent for exactly the origin of that address. */
  hasConsent: (url: string) => Promise<boolean>;
};

/** No connection is opened here, and none ever where the answer is no. */
export async function openService(options: ServiceOptions): Promise<Strategy | Skip> {
  const { url, place, userScope, hmacKey } = options;
  if (url === undefined || url === "") return skipped("no_url", "memory.service.url is not set.");
  const address = ServiceAddress.of(url);
  if (!address.ok) return skipped("bad_url", address.error);
  const repository = sendable(place);
  if (repository === undefined && hmacKey !== undefined)
    return skipped("no_repository", "memory.service.hmacKey is set, and this folder's repository has no remote name.");
  if (repository === undefined && !userScope)
    return skipped("no_repository", "this folder's repository has no remote name, and memory.userScope is off.");
  const { origin, isLoopback } = address.value;
  if (!isLoopback && !options.trusted)
    return skipped(
      "untrusted_folder",
      `${origin} is not this machine, and this folder is not trusted (\`everlong trust\`).`,
    );
  const mayConnect = async (): Promise<boolean> => isLoopback || options.hasConsent(url);
  if (!(await mayConnect()))
    return skipped(
      "no_consent",
      `you have not agreed to send memories to ${origin} (\`everlong consent grant ${origin}\`).`,
    );
  const token = options.token ?? (isLoopback ? options.localToken?.() : undefined);
  const sender = {
    token,
    timeoutMs: options.timeoutMs,
    timeoutSetting: "memory.service.timeoutMs",
    maxBytes: MAX_BYTES,
    mayConnect,
    ...(hmacKey === undefined
      ? {}
      : { sign: (request: SignedRequest) => signatureHeaders(hmacKey, request, options.now()) }),
  };
  const ask = (request: JsonRequest, signal: AbortSignal) => requestJson(sender, request, signal);
  return serviceStrategy(address.value, ask, options);
}

const skipped = (reason: string, message: string): Skip => ({ type: "skipped", reason, message });
