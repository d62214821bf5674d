// Reports about the open session: context, permissions, files, references, plan.
import { readFileSync } from "node:fs";
import { ok } from "../../base/result.ts";
import { truncate } from "../../context/truncate/truncate.ts";
import { renderContext } from "../../context/usage/render.ts";
import { contextReport as buildReport, type ContextReport } from "../../context/usage/report.ts";
import type { ToolGroup } from "../../schema/own-tool.ts";
import { memoryShares, usageOf } from "../../session/prepare.ts";
import { refreshSystemPrompt } from "../../session/turn.ts";
import { look, refOf, shaping } from "../../session/window.ts";
import type { CommandResult } from "../client.ts";
import { showCheckpoints } from "./checkpoints.ts";
import type { LiveSession } from "./live-session.ts";

/** Groups that a person switches on and off: what each takes of the room is shown by itself. */
const SHOWN_APART: ReadonlySet<ToolGroup> = new Set(["memory", "board", "inbox"]);

/** What fills the window, as data. */
export async function contextFigures(live: LiveSession): Promise<ContextReport | undefined> {
  const { session } = live;
  await refreshSystemPrompt(session);
  const view = await look(session);
  const shaped = await truncate(shaping(session, view));
  if (shaped.type !== "fits") return undefined;
  const tools = await Promise.all(
    view.tools.map(
      async (tool) =>
        (await session.parts.measure({ system: "", tools: [tool], items: [], limit: session.parts.promptLimit() }))
          .toolDefinitionsTokens,
    ),
  );
  const bySource = new Map<string, number>();
  for (const [at, { mcp, group }] of session.parts.offered().tools.entries()) {
    const source = mcp ? `MCP server ${mcp.server}` : group && SHOWN_APART.has(group) ? group : "built in";
    bySource.set(source, (bySource.get(source) ?? 0) + (tools[at] ?? 0));
  }
  const memory = memoryShares(session, view);
  const last = session.state.checkpoints.findLast((c) => !c.undone)?.data;
  return buildReport({
    usage: usageOf(session, view, shaped),
    items: shaped.items,
    all: view.items,
    cut: shaped.cut,
    memory,
    tools: [...bySource].map(([source, tokens]) => ({ source, tokens })),
    refOf: refOf(session),
    lastCompaction: last && {
      trigger: last.trigger,
      before: last.preCompactionTokens,
      after: last.postCompactionTokens,
      ...(last.compactedTurns ? { turns: `t${last.compactedTurns.from}-t${last.compactedTurns.to}` } : {}),
      ...(last.checkpointNumber ? { checkpointNumber: last.checkpointNumber } : {}),
    },
    calibration: live.gauge.calibration(),
  });
}

export async function contextReport(live: LiveSession): Promise<string> {
  const figures = await contextFigures(live);
  return figures ? renderContext(figures) : "The history does not fit the model's window, whatever is left out.";
}

export async function listPermissions(live: LiveSession): Promise<string> {
  const rows = live.approvals.list().map((r) => `${r.list.padEnd(5)} ${r.rule}  (${r.origin})`);
  const all = `allow-all is ${live.approvals.allowAll ? "on" : "off"}`;
  return [
    all,
    ...(rows.length > 0 ? rows : ["no rules"]),
    `folders: ${live.approvals.policy().allowedFolders.join(", ")}`,
    await live.approvals.wall.describe(),
  ].join("\n");
}

export async function sessionFacts(
  live: LiveSession,
  what: "files" | "refs" | "plan" | "checkpoints",
  wanted = "",
): Promise<CommandResult> {
  if (what === "checkpoints") return showCheckpoints(live.session.state, live.ground.redact, wanted);
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
