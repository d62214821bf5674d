// What fills the window of the open session.
import { truncate } from "../../context/truncate/truncate.ts";
import { renderContext } from "../../context/usage/render.ts";
import { contextReport as buildReport, type ContextReport } from "../../context/usage/report.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { ToolGroup } from "../../schema/own-tool.ts";
import { memoryShares, usageOf } from "../../session/prepare.ts";
import type { Session } from "../../session/session.ts";
import { refreshSystemPrompt } from "../../session/turn.ts";
import { look, refOf, shaping } from "../../session/window.ts";
import type { ModelInForce } from "./model-in-force.ts";

/** Groups that a person switches on and off: what each takes of the room is shown by itself. */
const SHOWN_APART: ReadonlySet<ToolGroup> = new Set(["memory", "board", "inbox"]);

/** What fills the window, as data. */
async function contextFigures(session: Session, model: ModelInForce): Promise<ContextReport | undefined> {
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
    recalled: recalledTokens(session, shaped.items),
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

/** In proportion to their length. */
function recalledTokens({ state }: Session, items: readonly Pick<ContextItem, "id" | "tokens" | "chars">[]): number {
  const lengths = new Map(
    state.chain.flatMap((e) => (e.type === "user.message" && e.data.recalled ? [[e.id, e.data.recalled.length]] : [])),
  );
  return items.reduce((sum, { id, tokens, chars }) => {
    const length = lengths.get(id) ?? 0;
    return sum + Math.round((tokens * length) / Math.max(1, length, chars ?? 0));
  }, 0);
}

export async function contextReport(session: Session, model: ModelInForce): Promise<string> {
  const figures = await contextFigures(session, model);
  return figures ? renderContext(figures) : "The history does not fit the model's window, however much is left out.";
}
