// A host of MCP servers with this session's parts: what it reports becomes events, what changed loses its approvals.
import { systemClock } from "../../base/clock.ts";
import { canonicalJson } from "../../base/json.ts";
import { VERSION } from "../../base/version.ts";
import type { Owner } from "../../host/process.ts";
import type { LoadedServers } from "../../mcp/config/load.ts";
import { configSecrets } from "../../mcp/config/secret.ts";
import type { ServerSource } from "../../mcp/config/source.ts";
import type { Answers } from "../../mcp/connection.ts";
import type { HostParts, McpHost } from "../../mcp/host.ts";
import type { ToolKey } from "../../mcp/name.ts";
import type { McpTool } from "../../mcp/tool.ts";
import { maskSecrets } from "../../model/mask.ts";
import { hasConsent } from "../../permission/consent.ts";
import { matchesRule } from "../../permission/match-rule.ts";
import { changedAmong } from "../../permission/started-files.ts";
import type { TrustState } from "../../permission/trust.ts";
import type { Rule } from "../../schema/permission.ts";
import type { Session } from "../../session/session.ts";
import { changeInHome } from "../home-file.ts";
import type { Workspace } from "../workspace.ts";
import { serverLogFile } from "./sources.ts";

/** What the servers of an open session need; for an agent's own servers `emit` is the agent's. */
export type McpParts = {
  workspace: Workspace;
  owner: Owner;
  session: Pick<Session, "dir" | "root" | "emit" | "publish">;
  cwd: string;
  /** What is never offered: deny rules. */
  denied: () => readonly Rule[];
  /** Session and location approvals of these tools are void from now on. */
  dropApprovals: (tools: readonly ToolKey[]) => Promise<void>;
  /** What becomes of a call that a server runs as a task (agent/execute/mcp-task.ts). */
  runTask: NonNullable<HostParts["runTask"]>;
  /** Servers that the face gave to the session, by name. */
  given?: Record<string, unknown> | undefined;
  /** Absent where nobody can answer a server's questions. */
  answers?: Answers;
};

export type OpenHost = {
  host: McpHost;
  loaded: LoadedServers;
  /** Takes secrets out of what a person or a model is told, those of the servers' own configuration too. */
  hide: (text: string) => string;
  /** As of the last turn boundary. */
  tools: () => readonly McpTool[];
  /** As they are right now. */
  look: () => readonly McpTool[];
  /** At a turn boundary: looks again at what the servers offer. Gives what is to be told. */
  refresh: () => Promise<string[]>;
  end: () => Promise<void>;
};

/** Starts all of them; waits for none. Only here are the host and the SDK loaded. */
export async function openHost(
  sources: readonly ServerSource[],
  parts: McpParts,
  trust: TrustState = parts.workspace.trust,
): Promise<OpenHost> {
  const [{ loadServers }, { createHost }, { fileToolCache }, { readFingerprints, saveFingerprints }] =
    await Promise.all([
      import("../../mcp/config/load.ts"),
      import("../../mcp/host.ts"),
      import("../../mcp/tool-cache.ts"),
      import("../../mcp/fingerprint.ts"),
    ]);
  const { workspace, session } = parts;
  const { values } = workspace.settings;
  const { home } = workspace.paths;
  const loaded = await loadServers(sources, {
    variables: workspace.env,
    disabled: values["mcp.disabled"],
    consented: (origin) => hasConsent(home, session.root, origin),
  });
  const secrets = loaded.servers.flatMap((plan) => ("config" in plan ? configSecrets(plan.config) : []));
  const hide = (text: string): string => workspace.redact(maskSecrets(text, secrets));
  const fingerprints = await readFingerprints(home, session.root);
  let saved = canonicalJson(fingerprints);
  let tools: readonly McpTool[] = [];
  let isEnding = false;

  const host = createHost(loaded.servers, {
    owner: parts.owner,
    cwd: parts.cwd,
    environment: { base: workspace.env, secrets: workspace.secrets },
    version: VERSION,
    answers: parts.answers ?? {},
    clock: systemClock,
    callTimeoutMs: values["mcp.callTimeoutSeconds"] * 1000,
    logFile: (server) => serverLogFile(session.dir, server),
    redact: hide,
    changedStart: ({ where }) => changedAmong(trust.started.get(where.replace(/:\d+$/, "")) ?? []),
    toolCache: fileToolCache(`${home}/cache/mcp`),
    ...(values["features.mcpTasks"] ? { runTask: parts.runTask } : {}),
    fingerprints,
    onStatus(server, status, reason) {
      if (isEnding) return;
      const why = reason === undefined ? {} : { reason: hide(reason) };
      tell(session.emit("session.mcp_server_status_changed", { server, status, ...why }));
    },
  });
  const offers = (key: ToolKey): boolean => !isDenied(key, parts.denied(), session.root);
  host.start();

  return {
    host,
    loaded,
    hide,
    tools: () => tools,
    look: () => host.look(offers),
    async refresh() {
      const turn = host.turn(offers);
      tools = turn.tools;
      if (turn.changed.length > 0) await parts.dropApprovals(turn.changed);
      const now = canonicalJson(turn.fingerprints);
      if (now !== saved) {
        const outcome = await saveFingerprints(home, session.root, turn.fingerprints, changeInHome(home));
        if (outcome.ok) saved = now;
        else
          session.publish("soft_failure", {
            part: "mcp-tools.json",
            code: outcome.error.code,
            message: outcome.error.what,
          });
      }
      return turn.notices.map(hide);
    },
    async end() {
      isEnding = true;
      await host.end();
    },
  };
}

/** A session that cannot be written any more has already said so. */
export function tell(written: Promise<unknown>): void {
  written.catch(() => undefined);
}

function isDenied({ server, tool }: ToolKey, rules: readonly Rule[], root: string): boolean {
  const part = { kind: "mcp", index: 0, server, tool, readOnly: false } as const;
  return rules.some((rule) => matchesRule(rule, part, root, "wide"));
}
