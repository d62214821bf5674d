// What the screen asks to be done: one small function for each effect. A failure becomes a line on the screen.
import { errorText } from "../../base/failure.ts";
import { counted } from "../../command/format.ts";
import type { App } from "../loop/app.ts";
import type { Effect } from "../update/message.ts";
import { answerQuestion } from "./ask.ts";
import { complete } from "./complete.ts";
import { remember } from "./history.ts";
import { openPanel, runInPanel } from "./panel.ts";
import { savePaste } from "./paste.ts";
import { runShell, stopShell } from "./shell.ts";
import { submitText } from "./submit.ts";
import { editOutside, suspend } from "./yield-terminal.ts";

type EffectOf<T extends Effect["type"]> = Extract<Effect, { type: T }>;
type Performers = { [T in Effect["type"]]: (app: App, effect: EffectOf<T>) => unknown };

const HINT_MS = 4000;

const PERFORMERS: Performers = {
  submit: (app, { text }) => submitText(app, text),
  shell: async (app, line) => runShell(await app.client(), line, app.dispatch),
  stopShell: () => void stopShell(),
  interrupt: async (app) => {
    const client = await app.client();
    const others = client.tasks.running();
    const texts = client.interrupt("user");
    if (texts.length > 0) app.dispatch({ type: "returned", texts });
    if (others > 0) hint(app, `${others} still running: esc again stops them, /tasks lists them`);
  },
  stopBackground: async (app) => {
    const count = await (await app.client()).tasks.cancelAll();
    app.say(`Stopped ${counted(count, "agent")}.`);
  },
  background: async (app) => {
    const { goesOn } = await import("../../command/agent.ts");
    const outcome = goesOn(await (await app.client()).tasks.promoteToBackground());
    if (outcome.ok) app.say(outcome.value.text);
    else hint(app, outcome.error.what);
  },
  takeBack: async (app) => {
    const text = await (await app.client()).takeBack();
    if (text !== undefined) app.dispatch({ type: "returned", texts: [text] });
  },
  answer: (_app, { id, answer }) => answerQuestion(id, answer),
  mode: async (app, { mode }) => (await app.client()).mode.set(mode),
  complete: (app, { token }) => complete(app, token),
  remember: (app, { text }) => remember(app.face, text),
  savePaste: (app, { text }) => savePaste(app, text),
  panel: (app, { command, args }) => openPanel(app, command, args),
  panelCommand: (app, { line }) => runInPanel(app, line),
  externalEditor: (app, { text }) => editOutside(app, text),
  suspend,
  redraw: (app) => app.painter.redraw(),
  bell: (app) => app.face.ui.bell !== "off" && app.terminal.write("\u0007"),
  exit: (app) => app.end(0),
};

export function perform(app: App, effect: Effect): void {
  const performer = PERFORMERS[effect.type] as (app: App, effect: Effect) => unknown;
  void Promise.resolve()
    .then(() => performer(app, effect))
    .catch((error: unknown) => app.say(`${errorText(error)}`));
}

const hint = (app: App, text: string): void => app.dispatch({ type: "hint", text, until: Date.now() + HINT_MS });
