// One GET without redirects, within limits, to a judged address.
import { within } from "../../base/abort.ts";
import { readBody } from "../../base/body.ts";
import { causeOf, errorText } from "../../base/failure.ts";
import { AddressRefused, isPublicAddress, literalAddress, publicLookup } from "./address.ts";

export type WebPage =
  | { type: "page"; status: number; contentType: string; bytes: Buffer; cut: boolean }
  | { type: "redirect"; location: string }
  | { type: "refused" | "failed" | "timeout" | "aborted"; message: string };

type PageRequest = {
  url: URL;
  /** A rule of the user allows this address although it is private. */
  anyAddress: boolean;
  limitMs: number;
  maxBytes: number;
  signal: AbortSignal;
};

export async function fetchPage(request: PageRequest): Promise<WebPage> {
  const { url, anyAddress, limitMs, signal } = request;
  const literal = literalAddress(url);
  if (literal !== undefined && !anyAddress && !isPublicAddress(literal)) {
    return { type: "refused", message: new AddressRefused(url.hostname, literal).message };
  }
  const stop = new AbortController();
  const got = await within(get(request, stop.signal), limitMs, signal);
  stop.abort();
  if (got.type === "value") return got.value;
  if (got.type === "aborted") return { type: "aborted", message: "The download was interrupted." };
  return { type: "timeout", message: `No complete answer from ${url.host} within ${limitMs / 1000} s.` };
}

async function get({ url, anyAddress, maxBytes }: PageRequest, signal: AbortSignal): Promise<WebPage> {
  const { Agent, fetch } = await import("./undici.ts");
  const agent = new Agent({ connect: anyAddress ? {} : { lookup: publicLookup } });
  try {
    const response = await fetch(url, {
      dispatcher: agent,
      redirect: "manual",
      credentials: "omit",
      headers: { "user-agent": "everlong", accept: "text/html, text/plain, application/json, */*;q=0.5" },
      signal,
    });
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && location !== null) return { type: "redirect", location };
    const { bytes, cut } = await readBody(response.body, maxBytes);
    return {
      type: "page",
      status: response.status,
      contentType: response.headers.get("content-type") ?? "",
      bytes,
      cut,
    };
  } catch (error) {
    const cause = causeOf(error);
    if (cause instanceof AddressRefused) return { type: "refused", message: cause.message };
    return { type: "failed", message: `${url.host} could not be reached: ${errorText(cause)}` };
  } finally {
    await agent.destroy();
  }
}
