// The terminal face from start to end: the terminal is taken, the session opened, both are joined, and all is given back.
import { describeFailure, errorText } from "../../base/failure.ts";
import { trustFolder } from "../../command/trust.ts";
import { emptyTranscript } from "../../runtime/client/transcript.ts";
import { type Client, type FaceStart, home, type OpenOptions } from "../../runtime/client.ts";
import { emptyEditor } from "../editor/edit.ts";
import { ask, screenPrompts } from "../effect/ask.ts";
import { type DraftFile, draftFile, folderDraft, loadDraft, sessionDraft } from "../effect/draft.ts";
import { loadHistory } from "../effect/history.ts";
import { loadKeyFile } from "../effect/key-file.ts";
import { followPanel } from "../effect/panel.ts";
import { perform } from "../effect/perform.ts";
import { loadTheme } from "../effect/theme-file.ts";
import { titleWriter } from "../effect/title.ts";
import { loadHighlighter } from "../markdown/highlight.ts";
import { idle } from "../state/activity.ts";
import { noFacts } from "../state/facts.ts";
import { openTerminalAdapter } from "../terminal/adapter.ts";
import { BACKGROUND_QUERY, BACKGROUND_REPLY } from "../theme/background.ts";
import type { ScreenState } from "../update/message.ts";
import { FRAME_MS } from "../view/activity.ts";
import { renderHeader } from "../view/header.ts";
import { isTooSmall, renderScreen } from "../view/screen.ts";
import { type App, createStore, noticeEvent } from "./app.ts";
import { exitLines } from "./exit-line.ts";
import { lookFor } from "./look.ts";
import { openPainter } from "./painter.ts";
import { follow, headerOf, openConversation } from "./session.ts";
import { transcriptPrinter } from "./transcript-printer.ts";

export type TerminalRun = {
  open: Omit<OpenOptions, "prompts">;
  version: string;
  /** The first prompt, when the command line gave one. */
  text: string;
};

const INTERRUPTED = 130;
const FAILED = 1;
/** Of a resumed session; older ones are in the transcript panel. */
const MOST_BLOCKS = 200;
const LOCAL_ESCAPE_MS = 25;
const REMOTE_ESCAPE_MS = 120;

export async function runScreen(face: FaceStart, { open, version, text }: TerminalRun): Promise<number> {
  const startedAt = Date.now();
  const keys = loadKeyFile(face);
  const look = lookFor(face);
  const theme = loadTheme(face);
  look.theme = theme.theme;
  const choices = { look, statusItems: face.ui.statusLine, hasMotion: face.ui.motion };
  const { promise: finished, resolve: end } = Promise.withResolvers<number>();
  const session = Promise.withResolvers<Client>();
  let client: Client | undefined;
  let unfollow = (): void => undefined;
  const transcript = transcriptPrinter(choices.look);
  let draft: DraftFile | undefined;
  let hasSync = false;

  const isRemote = face.terminal.SSH_TTY !== undefined || face.terminal.SSH_CONNECTION !== undefined;
  const terminal = openTerminalAdapter(
    {
      input: (input) => {
        if (input.type !== "reply") store.dispatch({ ...input, now: Date.now() });
        painter.request();
      },
      resize: () => painter.resized(),
      lost: (reason) => end(reason === "full" ? FAILED : INTERRUPTED),
    },
    isRemote ? REMOTE_ESCAPE_MS : LOCAL_ESCAPE_MS,
  );
  const title = titleWriter(terminal, face);
  const first: ScreenState = {
    transcript: emptyTranscript(),
    facts: noFacts,
    activity: idle,
    sending: 0,
    shell: undefined,
    editor: emptyEditor,
    history: loadHistory(face),
    search: undefined,
    queue: [],
    questions: [],
    panel: undefined,
    hint: undefined,
    pressed: { escape: 0, interrupt: 0, exit: 0 },
    bindings: keys.bindings,
  };
  const store = createStore(
    first,
    (effect) => perform(app, effect),
    (state, before) => {
      if (state.editor !== before.editor) draft?.save(state.editor);
      if (state.facts !== before.facts) title.show(state.facts);
      keepTime(state);
      painter.request();
    },
  );
  const painter = openPainter({
    terminal,
    hasSync: () => hasSync,
    reflows: face.terminal.XTERM_VERSION === undefined && face.terminal.TERM !== "linux",
    draw(size) {
      const state = store.state();
      const now = Date.now();
      if (isTooSmall(size)) return { settled: [], live: renderScreen(state, [], size, now, choices) };
      const { settled, live } = transcript.lines(state.transcript, size.columns, now);
      return { settled, live: renderScreen(state, live, size, now, choices) };
    },
    drawn: () => {
      const [question] = store.state().questions;
      if (question && question.shownAt === undefined) store.dispatch({ type: "shown", now: Date.now() });
    },
  });

  /** While something runs the clock goes on; an idle screen writes nothing. */
  let ticking: NodeJS.Timeout | undefined;
  const keepTime = (state: ScreenState): void => {
    const isMoving = state.activity.now ?? state.activity.compaction ?? state.shell;
    const isHinting = state.hint !== undefined && state.hint.until >= Date.now();
    if (!isMoving && !isHinting) {
      clearInterval(ticking);
      ticking = undefined;
    } else
      ticking ??= setInterval(
        () => {
          painter.request();
          keepTime(store.state());
        },
        face.ui.motion ? FRAME_MS : 1000,
      );
  };

  const say = (message: string): void => store.dispatch({ type: "event", event: noticeEvent(message, new Date()) });
  const prompts = screenPrompts((message) => store.dispatch(message), say);

  const attach = async (opened: Client, notices: readonly string[]): Promise<void> => {
    unfollow();
    client = opened;
    // Code of earlier answers is drawn at once, that of the first answer when it comes.
    if (opened.resumed) look.highlight = await loadHighlighter();
    transcript.print(renderHeader(await headerOf(opened, version), terminal.size().columns, choices.look));
    draft = draftFile(
      () => (opened.view().promptCount > 0 ? sessionDraft(opened.dir) : folderDraft(face)),
      (error) => say(`The draft could not be saved: ${errorText(error)}`),
    );
    unfollow = follow(opened, (event, isPast) => {
      if (event.type === "user.message") void loadHighlighter().then((highlight) => Object.assign(look, { highlight }));
      store.dispatch({ type: "event", event });
      if (!isPast) followPanel(app, event);
    });
    transcript.skipTo(store.state().transcript, MOST_BLOCKS);
    for (const notice of notices) say(notice);
    painter.request();
  };

  const app: App = {
    face,
    terminal,
    painter,
    keys: keys.rows,
    state: store.state,
    dispatch: store.dispatch,
    client: () => (client ? Promise.resolve(client) : session.promise),
    say,
    end,
    async restart() {
      const old = await app.client();
      const next = await openConversation({ ...open, session: { type: "new" } }, prompts);
      if (!next.ok) return say(next.error.what);
      await old.close({ type: "routine", reason: "clear" });
      const back =
        old.view().promptCount > 0 ? ` To resume the old one: everlong --resume ${old.sessionId.slice(0, 8)}` : "";
      await attach(next.value.client, [`New session.${back}`, ...next.value.notices]);
    },
  };

  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.on(signal, () => end(INTERRUPTED));
  painter.flush();
  if (face.ui.theme === "auto" && look.depth > 0)
    void terminal.ask(BACKGROUND_QUERY, BACKGROUND_REPLY, 100).then((reply) => {
      look.theme = loadTheme(face, reply).theme;
    });
  // Only a terminal that says so gets synchronised output; one that drops it would show half frames for ever.
  void terminal.ask("\u001b[?2026$p", /^\u001b\[\?2026;[123]\$y/, 100).then((reply) => {
    hasSync = reply !== undefined;
  });

  const begin = async (): Promise<void> => {
    if (!open.trustFolder && (await askTrust(app)) === "exit") return end(0);
    const opened = await openConversation(open, prompts);
    if (!opened.ok) {
      failure = describeFailure(opened.error);
      return end(opened.error.exit);
    }
    await attach(opened.value.client, [...opened.value.notices, ...keys.notices, ...theme.notices]);
    const stored = loadDraft(opened.value.client.resumed ? sessionDraft(opened.value.client.dir) : folderDraft(face));
    if (stored && store.state().editor.text === "") store.dispatch({ type: "written", text: stored });
    session.resolve(opened.value.client);
    opened.value.client.ready().catch((error: unknown) => say(errorText(error)));
    if (text !== "") perform(app, { type: "submit", text });
  };
  let failure = "";
  begin().catch((error: unknown) => {
    failure = errorText(error);
    end(FAILED);
  });

  const code = await finished;
  clearInterval(ticking);
  draft?.flush();
  client?.interrupt("exit");
  await client?.close(code === 0 ? { type: "routine" } : { type: "signal" });
  unfollow();
  painter.flush();
  painter.clear();
  title.restore();
  terminal.close();
  const last = client ? exitLines(client, store.state().facts, Date.now() - startedAt) : [];
  if (last.length > 0) terminal.write(`${last.join("\r\n")}\r\n`);
  if (failure !== "") process.stderr.write(`${failure}\n`);
  return code;
}

/** Nothing of the folder's own is loaded before the answer; without trust everything else works. */
async function askTrust(app: App): Promise<"go on" | "exit"> {
  const notice = await home.trustQuestion();
  if (!notice) return "go on";
  const answer = await ask(app.dispatch, { type: "trust", text: notice }, new AbortController().signal);
  if (answer?.choice === "exit") return "exit";
  if (answer?.choice === "trust") {
    const outcome = await trustFolder();
    app.say(outcome.ok ? outcome.value.text : outcome.error.what);
  }
  return "go on";
}
