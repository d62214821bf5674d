// Settings of what the proxy says for the user: TODO, pinned text, anchor, spec.
import { type SettingRow, switchable, user } from "../row.ts";

export const proxyStateRows = [
  switchable.toggle(
    "proxy.todo.enabled",
    ["EVERLONG_PROXY_TODO_ENABLED", "CLIPROXY_TODO_ENABLED"],
    true,
    "Keep a TODO list per session and show it to the model",
  ),
  user.integer(
    "proxy.todo.maxChars",
    ["EVERLONG_PROXY_TODO_MAX_CHARS", "CLIPROXY_TODO_MAX_CHARS"],
    4000,
    "Maximum characters of the TODO list shown to the model",
    { min: 512, max: 20_000 },
  ),
  switchable.toggle(
    "proxy.state.enabled",
    ["EVERLONG_PROXY_STATE_ENABLED", "CLIPROXY_SCAFFOLD_ENABLED"],
    true,
    "Show the model pinned text, running summary, TODO and spec",
  ),
  user.toggle(
    "proxy.state.appendOnly",
    ["EVERLONG_PROXY_STATE_APPEND_ONLY", "CLIPROXY_SCAFFOLD_APPEND_ONLY"],
    true,
    "Put new state blocks after the user's text; off: before it",
  ),
  user.choice(
    "proxy.state.tag",
    "EVERLONG_PROXY_STATE_TAG",
    ["everlong_state", "proxypilot_state"],
    "everlong_state",
    "Tag names of inserted blocks: everlong_state, proxypilot_state",
  ),
  user.choice(
    "proxy.state.role",
    "EVERLONG_PROXY_STATE_ROLE",
    ["user", "system"],
    "user",
    "Role of inserted blocks: user, system (a message of their own at the end)",
  ),
  user.integer(
    "proxy.state.refreshTokens",
    "EVERLONG_PROXY_STATE_REFRESH_TOKENS",
    40_000,
    "Repeat the state after this many tokens of history",
    { min: 1000 },
  ),
  user.integer(
    "proxy.anchor.fileMaxChars",
    ["EVERLONG_PROXY_ANCHOR_FILE_MAX_CHARS", "CLIPROXY_ANCHOR_SUMMARY_MAX_CHARS"],
    14_000,
    "Maximum characters in a session's summary file",
    { min: 1000, max: 60_000 },
  ),
  user.toggle(
    "proxy.specMode",
    ["EVERLONG_PROXY_SPEC_MODE", "EVERLONG_SPEC_MODE", "CLIPROXY_SPEC_MODE"],
    false,
    "Require an approved specification before any change",
  ),
  user.text(
    "proxy.rootDir",
    "EVERLONG_PROXY_ROOT_DIR",
    undefined,
    "Folder whose AGENTS.md is added to the pinned text",
    { aliases: ["harness-root-dir"] },
  ),
] as const satisfies readonly SettingRow[];
