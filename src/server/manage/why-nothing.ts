// Why a request went on as it came, in words for people.
import type { RequestRecord } from "../../proxy/contract.ts";

const SKIPPED: Readonly<Record<string, string>> = {
  store: "the store could not be used, so nothing new was cut or inserted",
  unparsable: "the body does not match its format, so it was passed on unchanged",
  unmanaged: "the body is of a kind that is passed on unchanged",
  internal: "an internal error; the request was passed on unchanged",
  route: "this address is passed on unchanged",
  memory_off: "memory is off",
  bypass: "the client asked to be left alone",
  own_agent: "Everlong's own agent manages its window itself",
  switched_off: "proxy.activate is never",
  unknown_client: "the client is not known, and proxy.activate serves known ones only",
};

/** Undefined where something was done. */
export function whyNothing({ action, kind, recallLost }: RequestRecord): string | undefined {
  if (action.startsWith("skip:")) return SKIPPED[action.slice(5)] ?? action.slice(5);
  if (action !== "pass") return undefined;
  if (kind !== "main" && kind !== "agent") return "requests of this kind are passed on unchanged";
  return recallLost === undefined ? "it fits, and there was nothing to add" : "it fits";
}
