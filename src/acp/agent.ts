// The agent side of the protocol: which request is answered by what.
import {
  type AgentApp,
  type AgentConnection,
  agent,
  type ClientCapabilities,
  methods,
  RequestError,
} from "@agentclientprotocol/sdk";
import { VERSION } from "../base/version.ts";
import { invalid, refused } from "./failure.ts";
import { initialised } from "./initialise.ts";
import { configOptions, isEditorMode } from "./mode.ts";
import { EditorSessions, type SessionsParts, sessionState } from "./sessions.ts";

type EditorAgent = { app: AgentApp; sessions: () => EditorSessions | undefined };

export function editorAgent(parts: Pick<SessionsParts, "options" | "warn">): EditorAgent {
  let capabilities: ClientCapabilities = {};
  let open: EditorSessions | undefined;
  const sessions = (): EditorSessions => {
    if (!open) throw RequestError.internalError(undefined, "the connection is not open yet");
    return open;
  };
  const { session } = methods.agent;
  const app = agent({ name: "everlong" })
    .onConnect(({ client }: AgentConnection) => {
      open = new EditorSessions({ ...parts, editor: client, capabilities: () => capabilities });
    })
    .onRequest(methods.agent.initialize, ({ params }) => {
      const answer = initialised(params.protocolVersion, VERSION);
      capabilities = params.clientCapabilities ?? {};
      return answer;
    })
    // Nothing has to be proven: whoever can start this program is its user.
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(session.new, async ({ params }) => {
      const fresh = await sessions().open({ type: "new" }, params);
      // An editor knows the session only when it has the answer.
      setImmediate(() => fresh.introduce());
      return { sessionId: fresh.id, ...sessionState(fresh) };
    })
    .onRequest(session.load, async ({ params }) => {
      const { sessionId: id } = params;
      const loaded = sessions().find(id) ?? (await sessions().open({ type: "resume", id }, params));
      await loaded.replay();
      setImmediate(() => loaded.introduce());
      return sessionState(loaded);
    })
    .onRequest(session.resume, async ({ params }) => {
      const { sessionId: id } = params;
      const resumed = sessions().find(id) ?? (await sessions().open({ type: "resume", id }, params));
      setImmediate(() => resumed.introduce());
      return sessionState(resumed);
    })
    .onRequest(session.list, ({ params }) => sessions().list(params))
    .onRequest(session.close, async ({ params }) => {
      await sessions().close(params.sessionId);
      return {};
    })
    .onRequest(session.setMode, async ({ params: { sessionId, modeId } }) => {
      await setMode(sessionId, modeId);
      return {};
    })
    .onRequest(session.setConfigOption, async ({ params }) => {
      const { client } = sessions().get(params.sessionId);
      if (params.configId === "mode") await setMode(params.sessionId, String(params.value));
      else if (params.configId !== "model") throw invalid(`There is no option "${params.configId}".`);
      else {
        const changed = await client.model.set(String(params.value));
        if (!changed.ok) throw refused(changed.error);
      }
      return { configOptions: configOptions(client) };
    })
    .onRequest(session.prompt, ({ params, signal }) => sessions().get(params.sessionId).prompt(params.prompt, signal))
    // A cancel has nobody to answer: one for a session that is not open has nothing to stop.
    .onNotification(session.cancel, ({ params }) => sessions().find(params.sessionId)?.cancel());

  async function setMode(sessionId: string, modeId: string): Promise<void> {
    const { client } = sessions().get(sessionId);
    if (!isEditorMode(modeId)) throw invalid(`There is no mode "${modeId}".`);
    await client.mode.set(modeId);
  }

  return { app, sessions: () => open };
}
