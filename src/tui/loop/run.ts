// The terminal face from start to end: the stage is opened, then the session, both are joined, and all is given back.
import { describeFailure, errorText } from "../../base/failure.ts";
import { type Client, type FaceStart, home, type OpenOptions } from "../../runtime/client.ts";
import { screenPrompts } from "../effect/ask.ts";
import { type DraftFile, draftFile, folderDraft, loadDraft, sessionDraft } from "../effect/draft.ts";
import { followPanel } from "../effect/panel.ts";
import { perform } from "../effect/perform.ts";
import { ringAfterWork } from "../effect/ring.ts";
import { statusCommand } from "../effect/status-command.ts";
import { loadHighlighter } from "../markdown/highlight.ts";
import { autopilotNotice } from "../state/autopilot.ts";
import { unansweredPrompt } from "../state/unanswered.ts";
import { renderHeader } from "../view/header.ts";
import { type App, memoryEvent, noticeEvent } from "./app.ts";
import { askConsent, askTrust } from "./before.ts";
import { exitLines } from "./exit-line.ts";
import { follow, headerOf, offlineNotices, openConversation } from "./session.ts";
import { openStage } from "./stage.ts";

export type TerminalRun = {
  open: Omit<OpenOptions, "prompts">;
  version: string;
  /** The first prompt, when the command line gave one. */
  text: string;
};

const INTERRUPTED = 130;
const FAILED = 1;
/** A resumed session shows at most this many blocks; older ones are in the transcript panel. */
const MOST_BLOCKS = 200;

export async function runScreen(face: FaceStart, { open, version, text }: TerminalRun): Promise<number> {
  const startedAt = Date.now();
  const { promise: finished, resolve: end } = Promise.withResolvers<number>();
  const session = Promise.withResolvers<Client>();
  const leaving = new AbortController();
  let client: Client | undefined;
  let unfollow = (): void => undefined;
  let draft: DraftFile | undefined;
  const stage = openStage(face, {
    perform: (effect) => perform(app, effect),
    changed(state, before) {
      if (state.editor !== before.editor) draft?.save(state.editor);
      if (state.facts !== before.facts) status.run(state.facts);
    },
    lost: (reason) => end(reason === "full" ? FAILED : INTERRUPTED),
  });
  const { store, terminal, painter, transcript, look } = stage;
  const say = (message: string): void => store.dispatch({ type: "event", event: noticeEvent(message, new Date()) });
  const prompts = screenPrompts(store.dispatch, say);
  const failed = unansweredPrompt();
  const autopilot = autopilotNotice(face.continuationLimit);
  const status = statusCommand(face, stage.setCustom, say);

  const findGateway = (): void => void home.gatewayAddress(face.home).then(stage.setGateway);

  const attach = async (opened: Client, notices: readonly string[]): Promise<void> => {
    unfollow();
    client = opened;
    // Code of earlier answers is drawn at once, that of the first answer when it comes.
    if (opened.resumed) look.highlight = await loadHighlighter();
    const header = await headerOf(opened, version);
    transcript.print((width) => renderHeader(header, width, look));
    draft = draftFile(
      () => (opened.view().promptCount > 0 ? sessionDraft(opened.dir) : folderDraft(face)),
      (error) => say(`The draft could not be saved: ${errorText(error)}`),
    );
    unfollow = follow(opened, (event, isPast) => {
      if (event.type === "user.message") void loadHighlighter().then((highlight) => Object.assign(look, { highlight }));
      store.dispatch({ type: "event", event });
      if (isPast) return;
      const notice = autopilot(event);
      if (notice !== undefined) say(notice);
      const prompt = failed(event);
      if (prompt !== undefined && store.state().editor.text === "") {
        store.dispatch({ type: "returned", texts: [prompt] });
        say("Your message is back in the editor: Enter sends it again, Esc twice clears it.");
      }
      followPanel(app, event);
      ringAfterWork(app, event);
      if (event.type === "turn.end") findGateway();
    });
    if (header.memory) store.dispatch({ type: "event", event: memoryEvent(header.memory.isOn, new Date()) });
    transcript.skipTo(store.state().transcript, MOST_BLOCKS);
    for (const notice of notices) say(notice);
    findGateway();
    painter.request();
  };

  const app: App = {
    face,
    terminal,
    painter,
    keys: stage.keys,
    state: store.state,
    dispatch: store.dispatch,
    client: () => (client ? Promise.resolve(client) : session.promise),
    say,
    restyle: stage.restyle,
    end,
    async open(choice) {
      const old = await app.client();
      const next = await openConversation({ ...open, session: choice }, prompts);
      if (!next.ok) return say([next.error.what, next.error.next].filter(Boolean).join(" "));
      await draft?.flush();
      old.interrupt("another session");
      await old.close({ type: "routine", reason: "clear" });
      store.dispatch({ type: "opened" });
      const back =
        old.view().promptCount > 0 ? ` To resume the old one: everlong --resume ${old.sessionId.slice(0, 8)}` : "";
      const { client: opened, notices } = next.value;
      await attach(opened, [`${opened.resumed ? "Continued." : "New session."}${back}`, ...notices]);
      opened.ready().catch((error: unknown) => say(errorText(error)));
    },
  };

  /** Gives what to print on stderr when it could not begin. */
  const begin = async (): Promise<string> => {
    const asking = { dispatch: store.dispatch, say, signal: leaving.signal };
    if (!open.trustFolder && (await askTrust(asking)) === "exit") {
      end(0);
      return "";
    }
    await askConsent(asking, open);
    if (leaving.signal.aborted) return "";
    const opened = await openConversation(open, prompts);
    if (!opened.ok) {
      end(opened.error.exit);
      return describeFailure(opened.error);
    }
    const { client: first, notices } = opened.value;
    await attach(first, [...offlineNotices(first.view()), ...notices, ...stage.notices]);
    const stored = loadDraft(opened.value.client.resumed ? sessionDraft(opened.value.client.dir) : folderDraft(face));
    if (stored && store.state().editor.text === "") store.dispatch({ type: "written", text: stored });
    session.resolve(opened.value.client);
    opened.value.client.ready().catch((error: unknown) => say(errorText(error)));
    if (text !== "") perform(app, { type: "submit", text });
    return "";
  };

  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.on(signal, () => end(INTERRUPTED));
  const began = begin().catch((error: unknown) => {
    end(FAILED);
    return errorText(error);
  });

  const code = await finished;
  // Who leaves while the session is still being opened waits for it: it is closed like any other.
  leaving.abort();
  const failure = await began;
  await draft?.flush();
  status.stop();
  client?.interrupt("exit");
  await client?.close(code === 0 ? { type: "routine" } : { type: "signal" });
  unfollow();
  await stage.close(client ? exitLines(client, store.state().facts, Date.now() - startedAt) : []);
  if (failure !== "") process.stderr.write(`${failure}\n`);
  return code;
}
