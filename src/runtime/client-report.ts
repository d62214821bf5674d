// Reports about the open session: context, permissions, files, references, plan.
import { readFileSync } from "node:fs";
import { ok } from "../base/result.ts";
import { toolDefinition } from "../tool/registry.ts";
import type { CommandResult } from "./client.ts";
import type { LiveSession } from "./live-session.ts";

export async function contextReport(live: LiveSession): Promise<string> {
  const { session } = live;
  const tools = live.offered().map(toolDefinition);
  const system = session.state.systemText ?? session.parts.systemPrompt().text;
  const m = await session.parts.measure({ system, tools, items: session.state.items });
  const used = m.systemTokens + m.toolDefinitionsTokens + m.conversationTokens;
  const limit = live.limits.promptLimit;
  const share = (n: number): string => `${((n / limit) * 100).toFixed(1)} %`;
  return [
    `${used} of ${limit} tokens (${share(used)}), ${m.basis}`,
    `system ${m.systemTokens} (${share(m.systemTokens)})`,
    `tools ${m.toolDefinitionsTokens} (${share(m.toolDefinitionsTokens)})`,
    `history ${m.conversationTokens} (${share(m.conversationTokens)}), ${session.state.items.length} messages`,
    `free ${Math.max(0, limit - used)}`,
  ].join("\n");
}

export function listPermissions(live: LiveSession): string {
  const rows = live.approvals.list().map((r) => `${r.list.padEnd(5)} ${r.rule}  (${r.origin})`);
  const all = `allow-all is ${live.approvals.allowAll ? "on" : "off"}`;
  return [
    all,
    ...(rows.length > 0 ? rows : ["no rules"]),
    `folders: ${live.approvals.policy().allowedFolders.join(", ")}`,
  ].join("\n");
}

export async function sessionFacts(live: LiveSession, what: "files" | "refs" | "plan"): Promise<CommandResult> {
  if (what === "plan") {
    try {
      return ok(readFileSync(live.paths.plan, "utf8"));
    } catch {
      return ok("There is no plan yet."); // plan.md is written when a plan is made
    }
  }
  const db = await live.index.reader();
  const sql =
    what === "files"
      ? "SELECT DISTINCT file_path AS a, tool_name AS b FROM session_files WHERE session_id = ? ORDER BY first_seen_at"
      : "SELECT ref_value AS a, ref_type AS b FROM session_refs WHERE session_id = ? ORDER BY created_at";
  const rows = db?.prepare(sql).all(live.session.id) ?? [];
  return ok(rows.length === 0 ? `No ${what} yet.` : rows.map((r) => `${r["a"]} (${r["b"]})`).join("\n"));
}
