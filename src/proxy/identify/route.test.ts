import { describe, expect, it } from "vitest";
import { isProxyPath, pathRoute, routeOf, splitPath } from "./route.ts";

const JSON_TYPE = "application/json";

describe("routes", () => {
  it.each([
    ["/v1/chat/completions", "openai-chat", "generate"],
    ["/chat/completions", "openai-chat", "generate"],
    ["/up/groq/chat/completions", "openai-chat", "generate"],
    ["/up/groq/v1/chat/completions", "openai-chat", "generate"],
    ["/v1/responses", "openai-responses", "generate"],
    ["/up/chatgpt/responses", "openai-responses", "generate"],
    ["/v1/responses/compact", "openai-responses", "compact"],
    ["/v1/messages", "anthropic", "generate"],
    ["/v1/messages/count_tokens", "anthropic", "count"],
    ["/v1beta/models/gemini-2.5-pro:generateContent", "gemini", "generate"],
    ["/v1beta/models/gemini-2.5-pro:streamGenerateContent", "gemini", "generate"],
    ["/v1internal:streamGenerateContent", "gemini", "generate"],
    ["/up/gemini/v1beta/models/x:countTokens", "gemini", "count"],
  ])("X1 POST %s is %s %s", (path, wire, task) => {
    expect(routeOf("POST", path, JSON_TYPE)).toEqual({ wire, task });
  });

  it.each([
    "/v1/threads/X/messages",
    "/v1/messages/batches",
    "/v1/chat/completions/",
    "/v1/v1/chat/completions",
    "/v1beta/chat/completions",
    "/v1/chat%2Fcompletions",
    "/v1/responses/resp_1",
    "/v1/responses/resp_1/cancel",
    "/v1/embeddings",
    "/v1/__proto__",
    "/v1/constructor",
    "/up/chat/completions",
    "/v1beta/models/x:embedContent",
    "/v1beta/models/x:generateContentX",
  ])("X1 X2 POST %s is none of them", (path) => {
    expect(routeOf("POST", path, JSON_TYPE)).toBeUndefined();
  });

  it("X1 only a POST with JSON, or with no content type", () => {
    const path = "/v1/messages";
    for (const type of [undefined, "", JSON_TYPE, "Application/JSON; charset=utf-8", "application/vnd.api+json"]) {
      expect(routeOf("POST", path, type), type).toBeDefined();
    }
    for (const type of ["text/plain", "multipart/form-data; boundary=x", "application/jsonp", "x application/json"]) {
      expect(routeOf("POST", path, type), type).toBeUndefined();
    }
    for (const method of ["GET", "HEAD", "PUT", "DELETE", "post"])
      expect(routeOf(method, path, JSON_TYPE)).toBeUndefined();
    expect(pathRoute(path)).toBeDefined(); // for the 426 of X9
  });

  it("X5 takes the name and the rest of /up/NAME as written", () => {
    expect(splitPath("/up/Groq/v1/a%2Fb")).toEqual({ upstream: "Groq", rest: "/v1/a%2Fb" });
    expect(splitPath("/up/groq")).toEqual({ upstream: "groq", rest: "/" });
    expect(splitPath("/upper/v1")).toEqual({ upstream: undefined, rest: "/upper/v1" });
  });

  it("X2 says what goes upstream at all", () => {
    for (const path of ["/v1/models", "/v1beta/files", "/up/x/anything", "/responses", "/v1internal:countTokens"]) {
      expect(isProxyPath(path), path).toBe(true);
    }
    for (const path of ["/", "/api/proxy/stats", "/healthz", "/v1x/models", "/mcp", "/graphiti/messages"]) {
      expect(isProxyPath(path), path).toBe(false);
    }
  });
});
