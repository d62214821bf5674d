// The sessions that an editor has open, and those it can open: new, loaded, listed, closed.

import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import {
  type AgentContext,
  type ClientCapabilities,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type McpServer,
  methods,
  type NewSessionRequest,
  RequestError,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { slashNames } from "../command/table.ts";
import {
  type EditorPlace,
  home,
  type OpenOptions,
  openClient,
  type Prompts,
  type SessionChoice,
} from "../runtime/client.ts";
import { askPlan, askQuestion } from "./ask.ts";
import { editorFiles } from "./editor-files.ts";
import { startTerminal } from "./editor-terminal.ts";
import { invalid, refused } from "./failure.ts";
import { configOptions, modeState } from "./mode.ts";
import { askPermission } from "./permission.ts";
import { EditorSession } from "./session.ts";

export type SessionsParts = {
  options: Pick<OpenOptions, "flags" | "trustFolder" | "agent">;
  editor: AgentContext;
  capabilities: () => ClientCapabilities;
  warn: (text: string) => void;
};

type Place = Pick<NewSessionRequest, "cwd" | "additionalDirectories"> & { mcpServers?: McpServer[] };

const PAGE = 50;

export class EditorSessions {
  readonly #parts: SessionsParts;
  readonly #open = new Map<string, EditorSession>();

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  /** Throws the protocol's error when it is not open here. */
  get(sessionId: string): EditorSession {
    const session = this.#open.get(sessionId);
    if (!session) throw RequestError.sessionNotFound(sessionId);
    return session;
  }

  find = (sessionId: string): EditorSession | undefined => this.#open.get(sessionId);

  async open(choice: SessionChoice, place: Place): Promise<EditorSession> {
    const { editor, options, warn, capabilities } = this.#parts;
    if (!isAbsolute(place.cwd)) throw invalid(`cwd must be an absolute path, not "${place.cwd}".`);
    if (!statSync(place.cwd, { throwIfNoEntry: false })?.isDirectory()) throw invalid(`${place.cwd} is not a folder.`);
    let session: EditorSession | undefined;
    const opened = await openClient({
      ...options,
      session: choice,
      cwd: place.cwd,
      mcpServers: serversOf(place.mcpServers ?? []),
      prompts: this.#prompts(() => session),
      editor: this.#place(place, () => session),
      slashNames,
      interactive: true,
    });
    if (!opened.ok) {
      if (choice.type === "resume" && opened.error.code === "session_not_found")
        throw RequestError.sessionNotFound(choice.id);
      throw refused(opened.error);
    }
    const { client } = opened.value;
    for (const folder of place.additionalDirectories ?? []) {
      const added = client.permissions.addFolder(folder);
      if (!added.ok) warn(added.error.what);
    }
    const { sessionId } = client;
    session = new EditorSession({
      opened: opened.value,
      asker: { editor, hasForms: Boolean(capabilities().elicitation?.form) },
      send: async (update) => {
        if (this.#isShown(update)) await editor.notify(methods.client.session.update, { sessionId, update });
      },
      warn,
      showsNotices: Boolean(capabilities().session?.notices),
    });
    this.#open.set(sessionId, session);
    return session;
  }

  /** Sessions of the terminal are listed and loaded like any other. */
  async list({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
    const from = Number(cursor ?? 0);
    if (!Number.isInteger(from) || from < 0) throw invalid("The cursor is not one of ours.");
    const where = cwd ? { folder: cwd } : { all: true, mainOnly: true };
    const rows = await home.sessions.list({ ...where, limit: from + PAGE + 1 });
    if (!rows.ok) throw refused(rows.error);
    const page = rows.value.slice(from, from + PAGE);
    return {
      sessions: page.map(({ id, cwd: folder, name, updated_at }) => ({
        sessionId: id,
        cwd: folder,
        title: name,
        updatedAt: updated_at,
      })),
      ...(rows.value.length > from + PAGE ? { nextCursor: String(from + PAGE) } : {}),
    };
  }

  async close(sessionId: string): Promise<void> {
    const session = this.get(sessionId);
    this.#open.delete(sessionId);
    await session.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.close(id)));
  }

  #place({ cwd, additionalDirectories = [] }: Place, session: () => EditorSession | undefined): EditorPlace {
    const { editor, capabilities } = this.#parts;
    const { fs = {}, terminal = false } = capabilities();
    const folders = [cwd, ...additionalDirectories];
    return {
      files: editorFiles({ editor, offers: fs, sessionId: () => session()?.id, folders }),
      ...(terminal
        ? {
            terminal: (line) =>
              startTerminal(line, {
                editor,
                sessionId: session()?.id ?? "",
                show: (toolCallId, terminalId) => session()?.showTerminal(toolCallId, terminalId),
              }),
          }
        : {}),
    };
  }

  #prompts(session: () => EditorSession | undefined): Prompts {
    const { editor, capabilities } = this.#parts;
    const hasForms = Boolean(capabilities().elicitation?.form);
    const asker = () => ({ sessionId: session()?.id ?? "", editor, hasForms });
    return {
      permission: (question, signal) =>
        askPermission(question, { ...asker(), announced: session()?.announced(question.toolCallId) }, signal),
      question: (question, signal) => askQuestion(question, asker(), signal),
      planExit: (plan, signal) => askPlan(plan, asker(), signal),
    };
  }

  /** Updates that only some clients know are sent to those alone; what they would say stands on stderr. */
  #isShown(update: SessionUpdate): boolean {
    const { session } = this.#parts.capabilities();
    if (update.sessionUpdate === "compaction_update") return Boolean(session?.compaction);
    if (update.sessionUpdate !== "notice") return true;
    if (session?.notices) return true;
    this.#parts.warn([update.title, update.description].filter(Boolean).join("\n"));
    return false;
  }
}

/** What an editor learns of a session that it opens. */
export const sessionState = ({ client }: EditorSession) => ({
  modes: modeState(client),
  configOptions: configOptions(client),
});

/** As a configuration file writes them. */
function serversOf(servers: readonly McpServer[]): Record<string, unknown> {
  const pairs = (list: readonly { name: string; value: string }[]) =>
    Object.fromEntries(list.map(({ name, value }) => [name, value]));
  return Object.fromEntries(
    servers.map((server) => [
      server.name,
      "type" in server
        ? { type: server.type, url: server.url, headers: pairs(server.headers) }
        : { type: "stdio", command: server.command, args: server.args, env: pairs(server.env) },
    ]),
  );
}
