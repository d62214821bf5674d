// Reports about the open session: context, permissions, files, references, plan.
import { readFileSync } from "node:fs";
import { ok } from "../../base/result.ts";
import { truncate } from "../../context/truncate/truncate.ts";
import { renderContext } from "../../context/usage/render.ts";
import { contextReport as buildReport, type ContextReport } from "../../context/usage/report.ts";
import { memoryShares, usageOf } from "../../session/prepare.ts";
import type { Session } from "../../session/session.ts";
import { refreshSystemPrompt } from "../../session/turn.ts";
import { look, refOf, shaping } from "../../session/window.ts";
import type { CommandResult } from "../client/session.ts";
import type { Approvals } from "./approvals.ts";
import type { ModelInForce } from "./model-in-force.ts";
import type { SessionResources } from "./resources.ts";

/** What fills the window, as data. */
export async function contextFigures(session: Session, model: ModelInForce): Promise<ContextReport | undefined> {
  await refreshSystemPrompt(session);
  const view = await look(session);
  const shaped = await truncate(shaping(session, view));
  if (shaped.type !== "fits") return undefined;
  const tools = await Promise.all(
    view.tools.map(
      async (tool) =>
        (
          await session.parts.tokens.measure({
            system: "",
            tools: [tool],
            items: [],
            limit: session.parts.model.promptLimit(),
          })
        ).toolDefinitionsTokens,
    ),
  );
  const bySource = new Map<string, number>();
  for (const [at, { mcp, group }] of session.parts.tools.offered().tools.entries()) {
    const source = mcp ? `MCP server ${mcp.server}` : (group ?? "built in");
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
    calibration: model.gauge.calibration(),
  });
}

export async function contextReport(session: Session, model: ModelInForce): Promise<string> {
  const figures = await contextFigures(session, model);
  return figures ? renderContext(figures) : "The history does not fit the model's window, whatever is left out.";
}

export async function listPermissions(approvals: Approvals): Promise<string> {
  const rows = approvals.list().map((r) => `${r.list.padEnd(5)} ${r.rule}  (${r.origin})`);
  const all = `allow-all is ${approvals.allowAll ? "on" : "off"}`;
  return [
    all,
    ...(rows.length > 0 ? rows : ["no rules"]),
    `folders: ${approvals.policy().allowedFolders.join(", ")}`,
    await approvals.wall.describe(),
  ].join("\n");
}

export async function sessionFacts(
  { main, paths, index }: Pick<SessionResources, "main" | "paths" | "index">,
  what: "files" | "refs" | "plan",
): Promise<CommandResult> {
  if (what === "plan") {
    try {
      return ok(readFileSync(paths.plan, "utf8"));
    } catch {
      return ok("There is no plan yet."); // plan.md is written when a plan is made
    }
  }
  const db = await index.reader();
  const sql =
    what === "files"
      ? "SELECT DISTINCT file_path AS a, tool_name AS b FROM session_files WHERE session_id = ? ORDER BY first_seen_at"
      : "SELECT ref_value AS a, ref_type AS b FROM session_refs WHERE session_id = ? ORDER BY created_at";
  const rows = db?.prepare(sql).all(main.id) ?? [];
  return ok(rows.length === 0 ? `No ${what} yet.` : rows.map((r) => `${r["a"]} (${r["b"]})`).join("\n"));
}
