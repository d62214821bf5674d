// Where an http hook may send its payload: judged when it is loaded and again at every call.
import { isLoopback } from "../base/address.ts";
import type { HttpHook } from "./hook.ts";
import { decides } from "./name.ts";

export type HttpRule = {
  /** hook.allowLocalhost: plain http to this machine, where https would be required. */
  allowLocalhost: boolean;
  /** hook.allowHttpAuth: plain http to anywhere, where https would be required. */
  allowHttpAuth: boolean;
  /** The setting `offline`: this machine only. */
  offline: boolean;
};

/** Why the hook may not be called; undefined when it may. */
export function httpRefusal(
  { url, name, allowedEnvVars }: Pick<HttpHook, "url" | "name" | "allowedEnvVars">,
  rule: HttpRule,
): string | undefined {
  if (!URL.canParse(url)) return `${url} is not an address`;
  const { protocol } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") return `${url} is neither http nor https`;
  const local = isLoopback(url);
  if (rule.offline && !local) return `${url} is not on this machine, and \`offline\` is set`;
  const needsHttps = decides(name) || allowedEnvVars.length > 0;
  if (protocol === "https:" || !needsHttps || rule.allowHttpAuth || (local && rule.allowLocalhost)) return undefined;
  const why = allowedEnvVars.length > 0 ? "it sends variables of the environment" : `a ${name} hook decides`;
  const how = local ? "hook.allowLocalhost" : "hook.allowHttpAuth";
  return `${url} must be https, because ${why} (the setting ${how} lifts this)`;
}

export const needsConsent = (url: string): boolean => !isLoopback(url);
