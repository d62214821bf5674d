import { describe, expect, it } from "vitest";
import { allVendors, commonWire } from "../../model/wire/registry.ts";
import { forwardHeaders, forwardSearch } from "./headers.ts";

const TOKEN = "gw-token";
const isToken = (value: string) => value === TOKEN;
type Options = {
  vendor?: "openai" | "anthropic" | "gemini";
  apiKey?: string;
  token?: boolean;
  search?: string;
  changed?: boolean;
};

function forward(
  raw: string[],
  { vendor = "openai", apiKey, token = false, search = "", changed = false }: Options = {},
) {
  const upstream = { name: vendor, url: new URL("https://x"), apiKey, problem: undefined };
  const target = { upstream, vendor: allVendors().find(({ name }) => name === vendor) ?? commonWire.vendor };
  return forwardHeaders(raw, { target, search, token, isToken, changed });
}

describe("headers that go on", () => {
  it("X8 B10 ours and those of the connection never reach upstream; all others do, as they came", () => {
    const kept = [
      ...["User-Agent", "codex_exec/1", "X-Session-Id", "s", "anthropic-beta", "a", "anthropic-beta", "b"],
      ...[
        "session_id",
        "t",
        "Content-Length",
        "3",
        "Content-Encoding",
        "gzip",
        "Cookie",
        "c=1",
        "X-Repo-Pathological",
        "y",
      ],
    ];
    const dropped = [
      ...["X-CLIProxyAPI-Session", "s", "x-everlong-token", TOKEN, "X-Everlong-Repo", "r", "X-ProxyPilot-Any", "1"],
      ...["X-Repo-Path", "/p", "x-workspace-root", "/w", "X-Project-Root", "/r", "Connection", "keep-alive, X-Hop"],
      ...["X-Hop", "1", "Keep-Alive", "timeout=5", "Transfer-Encoding", "chunked", "TE", "trailers", "Upgrade", "h2c"],
      ...[
        "Proxy-Authorization",
        "Basic x",
        "Proxy-Connection",
        "close",
        "Trailer",
        "x",
        "Host",
        "gw",
        "Expect",
        "100-continue",
      ],
    ];
    expect(forward([...dropped, ...kept])).toEqual(kept);
    expect(forward([...kept, ...dropped])).toEqual(kept);
  });

  it("X3 X8 a changed body has its own length and is sent as it is", () => {
    expect(
      forward(["Content-Length", "3", "Content-Encoding", "zstd", "Accept-Encoding", "br"], { changed: true }),
    ).toEqual(["Accept-Encoding", "br"]);
    expect(forward(["Connection", "content-length", "Content-Length", "3"])).toEqual(["Content-Length", "3"]);
  });

  it.each(["Authorization", "x-api-key", "X-Goog-Api-Key", "api-key"])(
    "X7 the client's own %s goes on unchanged",
    (name) => {
      for (const token of [false, true]) {
        const raw = [name, "Bearer own", ...(token ? ["X-Everlong-Token", TOKEN] : [])];
        expect(forward(raw, { apiKey: "configured", token })).toEqual([name, "Bearer own"]);
      }
    },
  );

  it("SEC7 X7 a configured key is used only for a caller with the gateway token and no key of its own", () => {
    expect(forward([], { apiKey: "configured" })).toEqual([]);
    expect(forward([], { apiKey: "configured", token: true })).toEqual(["Authorization", "Bearer configured"]);
    expect(forward([], { apiKey: "configured", token: true, search: "?key=own" })).toEqual([]);
    expect(forward([], { token: true })).toEqual([]);
  });

  it.each<["openai" | "anthropic" | "gemini", string[], string[]]>([
    ["openai", ["Authorization", `Bearer ${TOKEN}`], ["Authorization", "Bearer k"]],
    ["openai", ["api-key", TOKEN], ["api-key", "k"]],
    ["anthropic", ["x-api-key", TOKEN], ["x-api-key", "k"]],
    ["anthropic", ["Authorization", `bearer ${TOKEN}`], ["x-api-key", "k"]],
    ["gemini", ["x-goog-api-key", TOKEN], ["x-goog-api-key", "k"]],
  ])("X7 %s: the token in place of the API key is replaced by the configured one", (vendor, raw, sent) => {
    expect(forward(raw, { vendor, apiKey: "k", token: true })).toEqual(sent);
  });

  it("X105 the token never goes on, whether or not there is a key, and beside another credential", () => {
    const everywhere = ["Authorization", `Bearer ${TOKEN}`, "x-api-key", TOKEN, "X-Everlong-Token", TOKEN];
    expect(forward(everywhere, { token: true })).toEqual([]);
    expect(forward([...everywhere, "api-key", "own"], { token: true, apiKey: "k" })).toEqual(["api-key", "own"]);
    expect(forwardSearch(`?alt=sse&key=${TOKEN}&x=1`, isToken)).toBe("?alt=sse&x=1");
    expect(forwardSearch(`?key=${TOKEN.replace("-", "%2D")}`, isToken)).toBe("");
  });

  it("X6 any other query is kept byte for byte", () => {
    for (const search of ["", "?", "?key=own&alt=sse", "?a=%zz&&b", "?x=a+b"]) {
      expect(forwardSearch(search, isToken)).toBe(search);
    }
  });
});
