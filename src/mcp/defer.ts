// Too many tools for the prompt: they are left out, one tool finds them by words, and what was found is offered from then on.
import * as z from "zod";
import { firstLine } from "../base/text.ts";
import { boundTokens } from "../context/fragment/fragment.ts";
import { ownTool } from "../schema/own-tool.ts";
import { defineTool, success, type Tool } from "../tool/contract.ts";
import { toolDefinition } from "../tool/registry.ts";
import findDescription from "./find_mcp_tools.md";
import { displayName } from "./name.ts";
import type { McpTool } from "./tool.ts";

type DeferMode = "auto" | "always" | "never";

/** Share of the prompt limit that definitions may take before they are deferred. */
const SHARE = 0.15;
const SHOWN = 20;

const tokensByTool = new WeakMap<Tool, number>();

/** An upper bound, without the tokenizer; made once for a tool. */
export function definitionTokens(tool: Tool): number {
  let tokens = tokensByTool.get(tool);
  if (tokens === undefined) {
    tokens = boundTokens(JSON.stringify(toolDefinition(tool)));
    tokensByTool.set(tool, tokens);
  }
  return tokens;
}

type Deferral = {
  /** What the next request offers; the tool that finds the rest is among it when there is a rest. */
  offer: (tools: readonly McpTool[], promptLimit: number) => Tool[];
};

export function createDeferral(mode: DeferMode): Deferral {
  const discovered = new Set<string>();
  let hidden: readonly McpTool[] = [];
  const finder = findTool(
    () => hidden,
    (name) => discovered.add(name),
  );
  return {
    offer(tools, promptLimit) {
      const tokens = tools.reduce((sum, tool) => sum + definitionTokens(tool), 0);
      const isTooMuch = mode === "always" || (mode === "auto" && tokens > promptLimit * SHARE);
      if (!isTooMuch) return [...tools];
      hidden = tools.filter((tool) => !discovered.has(tool.name));
      const offered = tools.filter((tool) => discovered.has(tool.name));
      return hidden.length > 0 ? [...offered, finder] : offered;
    },
  };
}

const input = z.strictObject({ query: z.string().min(1).describe("Words of what the tool should do.") });

function findTool(hidden: () => readonly McpTool[], join: (name: string) => void): Tool {
  return defineTool({
    ...ownTool("find_mcp_tools"),
    description: findDescription,
    input,
    planMode: true,
    permissions: () => [],
    async run({ query }) {
      const all = hidden();
      const hits = rank(all, query);
      if (hits.length === 0) {
        const servers = [...new Set(all.map((tool) => tool.mcp.server))].join(", ");
        return success(`No tool fits. There are ${all.length} tools of these servers: ${servers}.`);
      }
      const shown = hits.slice(0, SHOWN);
      for (const { name } of shown) join(name);
      const lines = shown.map((t) => `${t.name} (${displayName(t.mcp)}): ${firstLine(t.description, 120)}`);
      const more = hits.length > SHOWN ? [`[… ${hits.length - SHOWN} more fit; use narrower words]`] : [];
      return success(["You can call these from your next step on:", ...lines, ...more].join("\n"));
    },
  });
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Words in a name count more than in a description; what fits half as well as the best is not meant. Best first. */
function rank(tools: readonly McpTool[], query: string): McpTool[] {
  const words = [...new Set(wordsOf(query))];
  const scored = tools.map((tool) => {
    const name = displayName(tool.mcp).toLowerCase();
    const about = tool.description.toLowerCase();
    const score = words.reduce((sum, w) => sum + (name.includes(w) ? 3 : 0) + (about.includes(w) ? 1 : 0), 0);
    return { tool, score };
  });
  const best = Math.max(0, ...scored.map(({ score }) => score));
  return scored
    .filter(({ score }) => score > best / 2)
    .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}
