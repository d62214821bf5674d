// Addresses of providers: checked, and completed with the wire's path prefix.
import { type Failure, notSent } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import type { WireName } from "../schema/model.ts";
import { OLLAMA_ORIGIN } from "../settings/default.ts";
import { wireOf } from "./wire/registry.ts";

/** The address as requests use it. Without a path it gets the wire's prefix; with one it is used as it stands. */
export function baseUrl(text: string, wire: WireName, source: string): Result<string, Failure> {
  const url = parseAddress(text);
  if (typeof url === "string")
    return fail(
      notSent(
        "invalid_base_url",
        `${source} is not a usable address: ${url}.`,
        "Give it as http://host:port or https://host/path.",
      ),
    );
  const path = url.pathname.replace(/\/+$/, "");
  return ok(url.origin + (path || wireOf(wire).prefix));
}

/** The URL, or what is wrong with it. The text itself is not repeated: it may hold a password. */
function parseAddress(text: string): URL | string {
  const url = URL.parse(text.trim());
  if (!url) return hasLargePort(text) ? "its port is larger than 65535" : "it is not a URL";
  if (url.protocol !== "http:" && url.protocol !== "https:") return "it must start with http:// or https://";
  if (url.username || url.password) return "it must not contain a user name or password";
  if (url.search || url.hash) return "it must not contain a query or fragment";
  return url;
}

const hasLargePort = (text: string): boolean => URL.canParse(text.trim().replace(/:\d{5,}(?=\/|$)/, ""));

/** What OLLAMA_HOST may say (`host`, `host:port`, `:port`, a URL), as an origin. */
export function ollamaOrigin(host: string | undefined): string {
  const text = host?.trim() || "127.0.0.1";
  const plain = !text.includes("://");
  const url = URL.parse(plain ? `http://${text.startsWith(":") ? "127.0.0.1" : ""}${text}` : text);
  if (!url) return OLLAMA_ORIGIN;
  if (plain && !url.port) url.port = new URL(OLLAMA_ORIGIN).port;
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  return url.origin + url.pathname.replace(/\/+$/, "");
}
