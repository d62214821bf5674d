// The screen before and behind any session: terminal, state, painter and clock, joined; all of it is given back at the end.

import type { KeyRow } from "../../command/key-table.ts";
import { emptyTranscript } from "../../runtime/client/transcript.ts";
import type { FaceStart } from "../../runtime/client.ts";
import { emptyEditor } from "../editor/edit.ts";
import { loadHistory } from "../effect/history.ts";
import { loadKeyFile } from "../effect/key-file.ts";
import { loadTheme } from "../effect/theme-file.ts";
import { titleWriter } from "../effect/title.ts";
import { idle } from "../state/activity.ts";
import { noFacts } from "../state/facts.ts";
import { openTerminalAdapter, type TerminalAdapter } from "../terminal/adapter.ts";
import { KIND_QUERY, KIND_REPLY, wrapsAnew } from "../terminal/place.ts";
import { BACKGROUND_QUERY, BACKGROUND_REPLY } from "../theme/background.ts";
import type { Look } from "../theme/look.ts";
import { paintAll } from "../theme/paint.ts";
import type { Effect, ScreenState } from "../update/message.ts";
import { isTooSmall, renderScreen, type ScreenChoices } from "../view/screen.ts";
import { frontShellCard } from "../view/tool-card.ts";
import { createStore, type Store } from "./app.ts";
import { screenClock } from "./clock.ts";
import { lookFor } from "./look.ts";
import { openPainter, type Painter } from "./painter.ts";
import { type TranscriptPrinter, transcriptPrinter } from "./transcript-printer.ts";

type Stage = {
  terminal: TerminalAdapter;
  painter: Painter;
  store: Store;
  transcript: TranscriptPrinter;
  look: Look;
  /** Another theme, for what is drawn from now on. */
  restyle(theme: string): void;
  /** What the user's own status command said. */
  setCustom(text: string | undefined): void;
  /** Where the gateway of this home listens. */
  setGateway(address: string | undefined): void;
  keys: readonly KeyRow[];
  /** What was wrong with the files of looks and keys. */
  notices: readonly string[];
  /** The last lines stand where the live ones were. */
  close(last: readonly string[]): Promise<void>;
};

type StageEvents = {
  perform(effect: Effect): void;
  changed(state: ScreenState, before: ScreenState): void;
  lost(reason: "gone" | "full"): void;
};

const LOCAL_ESCAPE_MS = 25;
const REMOTE_ESCAPE_MS = 120;
const REPLY_MS = 100;
/** How long a terminal that is known to answer may take for it. */
const LATE_REPLY_MS = 2000;
// Only a terminal that says so gets synchronised output: one that drops it would show half frames for ever.
const SYNC_QUERY = "\u001b[?2026$p";
const SYNC_REPLY = /^\u001b\[\?2026;[123]\$y/;

export function openStage(face: FaceStart, events: StageEvents): Stage {
  const keys = loadKeyFile(face);
  const look = lookFor(face);
  const { theme, notices } = loadTheme(face);
  look.theme = theme;
  const choices: ScreenChoices = {
    look,
    statusItems: face.ui.statusLine,
    hasMotion: face.ui.motion,
    promotes: face.promotesDirectives,
  };
  const transcript = transcriptPrinter(look);
  let hasSync = false;
  let kind: string | undefined;
  // Asking for the size may tell of a new one at once, also before there is a painter; it asks by itself when it begins.
  let resized = (): void => undefined;
  const isRemote = face.terminal.SSH_TTY !== undefined || face.terminal.SSH_CONNECTION !== undefined;
  const terminal = openTerminalAdapter(
    {
      input(input) {
        if (input.type === "reply") return;
        const now = Date.now();
        store.dispatch(input.type === "key" ? { ...input, now, columns: terminal.size().columns } : { ...input, now });
        painter.request("key");
      },
      resize: () => resized(),
      lost: events.lost,
    },
    isRemote ? REMOTE_ESCAPE_MS : LOCAL_ESCAPE_MS,
  );
  const title = titleWriter(terminal, face);
  const store = createStore(
    firstState(face, keys.bindings, terminal.size().columns),
    events.perform,
    (state, before) => {
      if (state.facts !== before.facts) title.show(state.facts);
      clock.follow(state);
      events.changed(state, before);
      painter.request();
    },
  );
  const painter = openPainter({
    terminal,
    hasSync: () => hasSync,
    answers: () => kind !== undefined,
    wrapsAnew: () => wrapsAnew(kind, face.terminal),
    replyMs: () => (kind === undefined ? REPLY_MS : LATE_REPLY_MS),
    isTooSmall,
    scrolled: transcript.scrolled,
    draw(size, small) {
      const [state, now] = [store.state(), Date.now()];
      if (isTooSmall(size))
        return {
          settled: [],
          live: renderScreen(state, [], size, now, choices),
          open: 0,
          isRaised: false,
          undo: () => undefined,
        };
      const { settled, live, open, undo } = transcript.lines(state.transcript, size.columns, small.columns, now);
      if (state.shell) live.push("", ...paintAll(frontShellCard(state.shell, small.columns, { ...look, now }), look));
      const lines = renderScreen(state, live, small, now, choices);
      // Where the beginning is hidden, what stands on the screen does not begin what settles next.
      return { settled, live: lines, open: live[0] === lines[0] ? open : 0, isRaised: isRaised(state), undo };
    },
    drawn() {
      const [question] = store.state().questions;
      if (question && question.shownAt === undefined) store.dispatch({ type: "shown", now: Date.now() });
    },
  });
  resized = painter.resized;
  const clock = screenClock(() => painter.request(), face.ui.motion);

  painter.flush();
  if (face.ui.theme === "auto" && look.depth > 0)
    void terminal.ask(BACKGROUND_QUERY, BACKGROUND_REPLY, REPLY_MS).then((reply) => {
      look.theme = loadTheme(face, reply).theme;
    });
  void terminal.ask(KIND_QUERY, KIND_REPLY, LATE_REPLY_MS).then((reply) => {
    kind = reply;
  });
  void terminal.ask(SYNC_QUERY, SYNC_REPLY, REPLY_MS).then((reply) => {
    hasSync = reply !== undefined;
  });

  return {
    terminal,
    painter,
    store,
    transcript,
    look,
    restyle(name) {
      look.theme = loadTheme({ ...face, ui: { ...face.ui, theme: name } }).theme;
      painter.request();
    },
    setCustom(text) {
      choices.custom = text;
      painter.request();
    },
    setGateway(address) {
      choices.gateway = address;
      painter.request();
    },
    keys: keys.rows,
    notices: [...keys.notices, ...notices],
    async close(last) {
      clock.stop();
      await painter.rest();
      painter.flush();
      painter.clear();
      title.restore();
      terminal.close();
      if (last.length > 0) terminal.write(`${last.join("\r\n")}\r\n`);
    },
  };
}

/** Something that goes away again stands over the transcript. */
const isRaised = ({ panel, questions, completion, search }: ScreenState): boolean =>
  Boolean(panel ?? search) || questions.length > 0 || (completion?.rows.length ?? 0) > 0;

const firstState = (face: FaceStart, bindings: ScreenState["bindings"], columns: number): ScreenState => ({
  columns,
  transcript: emptyTranscript(),
  facts: { ...noFacts, autopilot: { used: 0, limit: face.continuationLimit } },
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
  bindings,
});
