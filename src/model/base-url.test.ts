// Addresses of providers.
import { describe, expect, it } from "vitest";
import { baseUrl, ollamaOrigin } from "./base-url.ts";

const url = (text: string, wire: "openai-chat" | "gemini" = "openai-chat") => baseUrl(text, wire, "EVERLONG_BASE_URL");

describe("base URLs", () => {
  it("A2.3 a base URL without a path gets the wire's prefix, one with a path stays", () => {
    expect(url("http://h:8080")).toEqual({ ok: true, value: "http://h:8080/v1" });
    expect(url("http://h:8080/", "gemini")).toEqual({ ok: true, value: "http://h:8080/v1beta" });
    expect(url("https://h/api/v3//")).toEqual({ ok: true, value: "https://h/api/v3" });
  });

  it("A2.3 what is no http(s) address is refused with exit 2, without repeating it", () => {
    for (const text of ["", "nope", "localhost:8080", "ftp://h", "http://me:hunter2@h", "http://h?key=hunter2"]) {
      const refused = url(text);
      expect(refused).toMatchObject({ ok: false, error: { exit: 2, code: "invalid_base_url" } });
      expect(JSON.stringify(refused)).not.toContain("hunter2");
    }
  });

  it("N49 a port that cannot exist is named as what is wrong", () => {
    expect(url("http://127.0.0.1:99999/v1")).toMatchObject({
      error: { what: "EVERLONG_BASE_URL is not a usable address: its port is larger than 65535." },
    });
    expect(url("http://:99999")).toMatchObject({ error: { what: expect.stringContaining("it is not a URL") } });
  });

  it("A1.1 OLLAMA_HOST is understood in all its forms", () => {
    expect(ollamaOrigin(undefined)).toBe("http://127.0.0.1:11434");
    expect(ollamaOrigin("0.0.0.0")).toBe("http://127.0.0.1:11434");
    expect(ollamaOrigin(":99")).toBe("http://127.0.0.1:99");
    expect(ollamaOrigin("box")).toBe("http://box:11434");
    expect(ollamaOrigin("https://box/")).toBe("https://box");
  });
});
