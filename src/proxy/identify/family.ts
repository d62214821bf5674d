// Which client asks, and whether it is served: one table, the first row that matches counts.
import { optional } from "../../base/optional.ts";
import type { Family, Headers } from "../contract.ts";
import { OWN_SESSION_HEADERS } from "./session-key.ts";

type Reason = "bypass" | "internal" | "own_agent" | "switched_off" | "unknown_client";
export type ServedFamily = {
  family: Family;
  /** Why this family: `user-agent droid`, `header x-app`; `none` for an unknown client. */
  signal: string;
  /** Why it is not served; absent when it is. */
  reason?: Reason;
};

type Row = {
  family: Family;
  /** Texts of a User-Agent, in lower case. */
  agents: readonly string[];
  /** A row also matches by the name of a header, where one is given with what its value must be like. */
  headers?: readonly { name: string | RegExp; value?: RegExp }[];
};

const TABLE: readonly Row[] = [
  {
    family: "codex",
    agents: ["openai codex", "codex_cli_rs/", "codex_exec/", "codex-tui/", "codex desktop"],
    headers: [{ name: "originator", value: /^codex/i }],
  },
  { family: "droid", agents: ["factory-cli", "droid"] },
  { family: "warp", agents: ["warp"] },
  { family: "claude", agents: ["claude-cli/", "claude-code/"], headers: [{ name: "x-app", value: /^cli$/i }] },
  { family: "gemini", agents: ["geminicli"] },
  { family: "qwen", agents: ["qwencode/"] },
  { family: "opencode", agents: ["opencode/"] },
  { family: "pi", agents: ["pi/", "pi ("] },
  { family: "crush", agents: ["charm-crush/"] },
  { family: "copilot", agents: ["copilot"], headers: [{ name: "x-initiator" }, { name: "x-interaction-type" }] },
  { family: "sdk", agents: ["ai-sdk"], headers: [{ name: /^x-stainless-/ }] },
];

/** What our own agent's User-Agent begins with. */
const OWN_AGENT = /^everlong(?:\/|\s|$)/i;
const YES = /^\s*(?:1|true|yes|on)\s*$/i;

/** X9, X12, X13 and `proxy.activate`. */
export function familyOf(headers: Headers, activate: "auto" | "always" | "never"): ServedFamily {
  const match = knownFamily(headers) ?? { family: "other", signal: ownSessionHeader(headers) ?? "none" };
  const reason =
    bypass(headers) ??
    (activate === "never" ? "switched_off" : undefined) ??
    (activate === "auto" && match.signal === "none" ? "unknown_client" : undefined);
  return { ...match, ...optional("reason", reason) };
}

function knownFamily(headers: Headers): { family: Family; signal: string } | undefined {
  const agent = (headers["user-agent"] ?? "").toLowerCase();
  for (const row of TABLE) {
    const text = row.agents.find((text) => atWordStart(agent, text));
    if (text !== undefined) return { family: row.family, signal: `user-agent ${text}` };
    const header = row.headers?.map((wanted) => matching(headers, wanted)).find((name) => name !== undefined);
    if (header !== undefined) return { family: row.family, signal: `header ${header}` };
  }
  return undefined;
}

/** X13: no letter stands before it. */
function atWordStart(agent: string, text: string): boolean {
  for (let at = agent.indexOf(text); at >= 0; at = agent.indexOf(text, at + 1)) {
    if (at === 0 || !/\p{L}/u.test(agent.charAt(at - 1))) return true;
  }
  return false;
}

function matching(headers: Headers, wanted: { name: string | RegExp; value?: RegExp }): string | undefined {
  const { name, value } = wanted;
  if (typeof name !== "string") return Object.keys(headers).find((header) => name.test(header));
  const text = headers[name]?.trim();
  return text !== undefined && (value ?? /./).test(text) ? name : undefined;
}

function ownSessionHeader(headers: Headers): string | undefined {
  const name = OWN_SESSION_HEADERS.find((name) => headers[name] !== undefined);
  return name && `header ${name}`;
}

/** X9: asked for by the caller, or a request of our own. */
function bypass(headers: Headers): Reason | undefined {
  if (YES.test(headers["x-everlong-bypass"] ?? "")) return "bypass";
  if ((headers["x-cliproxyapi-internal"] ?? "").trim() !== "") return "internal";
  return OWN_AGENT.test(headers["user-agent"] ?? "") ? "own_agent" : undefined;
}
