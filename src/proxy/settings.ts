// The proxy's settings as one object with plain fields; every part of the proxy takes what it needs from here.
import { join, resolve } from "node:path";
import type { Settings } from "../settings/table.ts";

export type ProxySettings = ReturnType<typeof proxySettings>;

export function proxySettings(values: Settings) {
  return {
    /** Off: every request passes as it came (X11). */
    memory: values["proxy.memory"],
    /** This absolute path is the folder that `sessions/` is in. */
    dir: directory(values),
    activate: values["proxy.activate"],
    sessionFallback: values["proxy.sessionFallback"],
    store: values["proxy.store"],
    explain: values["proxy.explain"],
    requireToken: values["proxy.requireToken"],
    strictStreams: values["proxy.strictStreams"],
    records: values["proxy.records"],
    tenancy: values["gateway.tenancy"],
    /** Glob over model names → tokens. */
    windows: values["proxy.windows"],
    reserveTokens: values["proxy.reserveTokens"],
    /** Share of usable; undefined: by family (X33). */
    highWater: values["proxy.highWater"],
    /** Share of the high-water mark. */
    lowWater: values["proxy.lowWater"],
    minKeepItems: values["proxy.minKeepItems"],
    toolOutputMaxChars: values["proxy.toolOutputMaxChars"],
    recall: {
      enabled: values["recall.enabled"],
      maxSnippets: values["proxy.recall.maxSnippets"],
      maxChars: values["proxy.recall.maxChars"],
      timeoutMs: values["proxy.recall.timeoutMs"],
    },
    /** Search of the namespace by meaning (X80); the embedder's settings are the engine's own. */
    /** What the user pinned comes with the quotes. */
    pins: values["memory.enabled"] && values["recall.enabled"],
    semantic: {
      enabled: values["memory.enabled"] && values["recall.enabled"] && values["recall.semantic.enabled"],
      maxSnips: values["recall.semantic.maxSnips"],
      maxChars: values["recall.semantic.maxChars"],
    },
    todo: { enabled: values["proxy.todo.enabled"], maxChars: values["proxy.todo.maxChars"] },
    state: {
      enabled: values["proxy.state.enabled"],
      /** False: new blocks stand before the user's text. */
      appendOnly: values["proxy.state.appendOnly"],
      tag: values["proxy.state.tag"],
      role: values["proxy.state.role"],
      refreshTokens: values["proxy.state.refreshTokens"],
    },
    anchor: { fileMaxChars: values["proxy.anchor.fileMaxChars"] },
    specMode: values["proxy.specMode"],
    /** Its AGENTS.md joins the pinned text; absolute. */
    rootDir: values["proxy.rootDir"] === undefined ? undefined : resolve(values["proxy.rootDir"]),
    maxBodyBytes: values["proxy.maxBodyBytes"],
    upstreamTimeoutMs: values["proxy.upstreamTimeoutMs"],
    /** The addresses are by upstream name, as configured and not yet checked. */
    upstreamUrls: values["proxy.upstreams.*.url"],
    upstreamKeys: values["proxy.upstreams.*.apiKey"],
  };
}

/** X48: nothing is written into the folder the program runs in. */
function directory(values: Settings): string {
  const dir = values["proxy.dir"];
  if (dir !== undefined) return resolve(dir);
  const writable = values["proxy.writablePath"];
  return writable === undefined ? join(values.home, "proxy") : resolve(writable, ".proxypilot", "memory");
}
