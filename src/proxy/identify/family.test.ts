import { describe, expect, it } from "vitest";
import { familyOf } from "./family.ts";

const agent = (text: string) => ({ "user-agent": text });

describe("families", () => {
  it.each([
    ["codex", agent("codex_cli_rs/0.166.0 (Linux; x86_64) xterm")],
    ["codex", agent("OpenAI Codex/1.0")],
    ["codex", agent("codex_exec/0.166.0")],
    ["codex", agent("codex-tui/0.133.0 (Mac)")],
    ["codex", agent("Codex Desktop/1")],
    ["codex", { originator: "codex_vscode", "user-agent": "undici" }],
    ["droid", agent("factory-cli/0.20")],
    ["droid", agent("Droid/1.2")],
    ["warp", agent("Warp/v0.2025")],
    ["claude", agent("claude-cli/2.1.325 (external, cli)")],
    ["claude", agent("claude-code/2.1.325")],
    ["claude", { "x-app": "cli", "x-stainless-lang": "js" }],
    ["gemini", agent("GeminiCLI/0.61.0/gemini-2.5-pro (linux; x64)")],
    ["qwen", agent("QwenCode/0.24.0 (linux; x64)")],
    ["opencode", agent("opencode/1.18.0 ai-sdk/provider-utils/3.0")],
    ["pi", agent("pi/0.87")],
    ["pi", agent("pi (linux 6.1; x64)")],
    ["crush", agent("Charm-Crush/0.9")],
    ["copilot", { "x-initiator": "user", "user-agent": "node" }],
    ["copilot", { "x-interaction-type": "conversation-compaction" }],
    ["copilot", agent("GitHub Copilot CLI")],
    ["sdk", { "x-stainless-package-version": "5.0", "user-agent": "OpenAI/JS 5.0" }],
    ["sdk", agent("ai-sdk/openai-compatible/1.0")],
  ])("X12 %s from %o", (family, headers) => {
    const served = familyOf(headers, "auto");
    expect([served.family, served.reason]).toEqual([family, undefined]);
    expect(served.signal).toMatch(/^(user-agent|header) \S/);
  });

  it("X12 the first row that matches counts", () => {
    expect(familyOf({ "x-stainless-lang": "js", "x-initiator": "user" }, "auto").family).toBe("copilot");
    expect(familyOf({ originator: "codex_cli", "user-agent": "copilot" }, "auto").family).toBe("codex");
  });

  it.each([
    "Mozilla/5.0 (Linux; Android 14) Safari",
    "api/1.0",
    "Happi (x)",
    "node-softwarp/1",
    "mygeminicli",
    "éopencode/1",
  ])("X13 no letter may stand before it: %s", (text) => {
    expect(familyOf(agent(text), "auto")).toEqual({
      family: "other",
      signal: "none",
      reason: "unknown_client",
    });
  });

  it("X13 a later occurrence at a word start counts", () => {
    expect(familyOf(agent("Android droid/1"), "auto").family).toBe("droid");
  });

  it("X12 any other client only with our session header, or when all are served", () => {
    for (const name of ["x-everlong-session", "x-cliproxyapi-session"]) {
      expect(familyOf({ [name]: "s" }, "auto")).toEqual({ family: "other", signal: `header ${name}` });
    }
    expect(familyOf({ "x-session-id": "s" }, "auto").reason).toBe("unknown_client");
    expect(familyOf({}, "always")).toEqual({ family: "other", signal: "none" });
    expect(familyOf(agent("pi/1"), "never")).toMatchObject({ family: "pi", reason: "switched_off" });
  });

  it.each([
    ["bypass", { "x-everlong-bypass": "1" }],
    ["internal", { "x-cliproxyapi-internal": "summary" }],
    ["own_agent", { "user-agent": "everlong/0.1.0 ai-sdk/openai/4.0", "x-initiator": "user" }],
  ])("X9 %s makes a request unmanaged, also when all are served", (reason, headers) => {
    expect(familyOf({ "user-agent": "codex_exec/1", ...headers }, "always")).toMatchObject({ reason });
  });

  it("X9 an empty or negative bypass is none", () => {
    const headers = { "user-agent": "codex_exec/1", "x-everlong-bypass": "0", "x-cliproxyapi-internal": " " };
    expect(familyOf(headers, "auto").reason).toBeUndefined();
    expect(familyOf(agent("everlonger/1"), "always").reason).toBeUndefined();
  });
});
