import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseTarget, upstreamsOf } from "./choose.ts";

type Configured = { urls?: Record<string, string>; keys?: Record<string, string> };
const upstreams = ({ urls = {}, keys = {} }: Configured = {}) =>
  upstreamsOf({ upstreamUrls: urls, upstreamKeys: keys });

function target(path: string, { headers = {}, search = "", ...configured }: Partial<Ask> & Configured = {}) {
  const chosen = chooseTarget(upstreams(configured), { path, search, headers });
  if (!chosen.ok) throw new Error(chosen.error.message);
  return [chosen.value.upstream.name, chosen.value.url.origin + chosen.value.path];
}
type Ask = { headers: Record<string, string>; search: string };

describe("choosing the upstream", () => {
  it.each<[path: string, headers: Record<string, string>, name: string, url: string]>([
    ["/v1/chat/completions", {}, "openai", "https://api.openai.com/v1/chat/completions"],
    ["/chat/completions", {}, "openai", "https://api.openai.com/v1/chat/completions"],
    ["/v1/models", {}, "openai", "https://api.openai.com/v1/models"],
    ["/v1/threads/t/messages", {}, "openai", "https://api.openai.com/v1/threads/t/messages"],
    ["/v1/messages", {}, "anthropic", "https://api.anthropic.com/v1/messages"],
    ["/v1/messages/batches", {}, "anthropic", "https://api.anthropic.com/v1/messages/batches"],
    ["/v1/models", { "anthropic-version": "2023-06-01" }, "anthropic", "https://api.anthropic.com/v1/models"],
    [
      "/v1beta/models/g:generateContent",
      { "anthropic-version": "x" },
      "gemini",
      "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent",
    ],
    ["/v1beta/files", {}, "gemini", "https://generativelanguage.googleapis.com/v1beta/files"],
    ["/v1/models", { "x-goog-api-key": "k" }, "gemini", "https://generativelanguage.googleapis.com/v1/models"],
    ["/up/chatgpt/responses", {}, "chatgpt", "https://chatgpt.com/backend-api/codex/responses"],
    ["/up/chatgpt/v1/responses", {}, "chatgpt", "https://chatgpt.com/backend-api/codex/responses"],
    ["/up/anthropic/v1/models", {}, "anthropic", "https://api.anthropic.com/v1/models"],
    ["/up/OpenAI/v1/models", {}, "openai", "https://api.openai.com/v1/models"],
    [
      "/v1/responses",
      { "x-everlong-upstream": "chatgpt" },
      "chatgpt",
      "https://chatgpt.com/backend-api/codex/responses",
    ],
    [
      "/up/gemini/upload/v1beta/files",
      { "x-goog-api-key": "k" },
      "gemini",
      "https://generativelanguage.googleapis.com/upload/v1beta/files",
    ],
  ])("X5 X6 %s %o goes to %s", (path, headers, name, url) => {
    expect(target(path, { headers })).toEqual([name, url]);
  });

  it.each([
    ["/v1/responses", "openai", "http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/responses"],
    ["/v1/responses", "openai", "http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1/responses"],
    ["/v1/responses", "openai", "https://gw.example/openai/v2/", "https://gw.example/openai/v2/responses"],
    ["/v1/messages", "anthropic", "https://gw.example/a/v1", "https://gw.example/a/v1/messages"],
    ["/v1/messages", "anthropic", "https://gw.example/a/", "https://gw.example/a/v1/messages"],
    [
      "/v1beta/models/g:countTokens",
      "gemini",
      "https://gw.example/v1beta",
      "https://gw.example/v1beta/models/g:countTokens",
    ],
    ["/up/x/v1/messages", "x", "https://gw.example/v1", "https://gw.example/v1/messages"],
    ["/up/x/v1/chat/completions", "x", "https://gw.example", "https://gw.example/v1/chat/completions"],
    [
      "/up/x/v1beta/models/g:generateContent",
      "x",
      "https://g.example/v1beta",
      "https://g.example/v1beta/models/g:generateContent",
    ],
  ])("X6 %s with %s at %s is %s", (path, name, base, url) => {
    expect(target(path, { urls: { [name]: base } })).toEqual([name, url]);
  });

  it("X6 the query and every byte of the path are kept", () => {
    expect(target("/v1/files/a%2Fb%20c;x", { search: "?alt=sse&key=a%2Bb&&" })[1]).toBe(
      "https://api.openai.com/v1/files/a%2Fb%20c;x?alt=sse&key=a%2Bb&&",
    );
  });

  it("XB17 an unknown name is refused with the names there are; it is never an address", () => {
    for (const [path, headers] of [
      ["/v1/models", { "x-everlong-upstream": "http://evil" }],
      ["/up/evil.example/v1/models", {}],
      ["/up/__proto__/v1/models", {}],
      ["/up//v1/models", {}],
      ["/up/toString/v1/models", {}],
    ] as [string, Record<string, string>][]) {
      const chosen = chooseTarget(upstreams({ urls: { mine: "http://127.0.0.1:1" } }), { path, search: "", headers });
      expect(chosen).toMatchObject({ ok: false, error: { code: "unknown_upstream" } });
      if (!chosen.ok) expect(chosen.error.message).toMatch(/openai, anthropic, gemini, chatgpt, mine/);
    }
  });

  it("SEC13 X109 an address that cannot be used is not replaced by the vendor's", () => {
    for (const bad of ["nonsense", "ftp://x", "https://u:p@host", "http://169.254.169.254", "http://8.8.8.8"]) {
      const chosen = chooseTarget(upstreams({ urls: { openai: bad } }), {
        path: "/v1/models",
        search: "",
        headers: {},
      });
      expect(chosen).toMatchObject({ ok: false, error: { code: "upstream_unreachable" } });
      if (!chosen.ok) expect(chosen.error.message).toMatch(/EVERLONG_UPSTREAM_OPENAI/);
    }
    const list = upstreams({ urls: { openai: "https://u:hush-hush@host" }, keys: { lonely: "sk-hush-hush" } });
    expect(list.get("lonely")?.problem).toBe("it has a key and no address");
    expect([...list.values()].map((u) => u.problem).join()).not.toContain("hush");
  });

  it("SEC13 XB17 whatever a request says, it goes to a configured origin", () => {
    const configured = upstreams({ urls: { mine: "http://127.0.0.1:9/base" } });
    const origins = [...configured.values()].map((u) => u.url?.origin);
    const text = fc.oneof(fc.constantFrom("//evil", "\\\\evil", "@evil", "/..//evil", "http://evil"), fc.string());
    fc.assert(
      fc.property(
        text,
        fc.dictionary(fc.constantFrom("x-everlong-upstream", "host", "origin"), text),
        (part, headers) => {
          const chosen = chooseTarget(configured, { path: `/v1/${part}`, search: "", headers });
          if (chosen.ok) expect(origins).toContain(chosen.value.url.origin);
          if (chosen.ok) expect(chosen.value.path.startsWith("/")).toBe(true);
        },
      ),
    );
  });
});
