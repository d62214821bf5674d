// Panels: reading what they show, again after an event or a command of theirs.
import { parseTyped, runSlash } from "../../command/slash.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import { type App, errorEvent } from "../loop/app.ts";
import type { PanelLoad } from "../panel/contract.ts";
import { guardedView } from "../panel/guard.ts";
import { panelFor } from "../panel/registry.ts";
import { screenPerson, screenPrompts } from "./ask.ts";

export async function openPanel(app: App, command: string, args: string): Promise<void> {
  const row = panelFor(command);
  if (!row) return app.dispatch({ type: "hint", text: `/${command} has no view yet.`, until: Date.now() + 2000 });
  const open = app.state().panel;
  const from = open?.command === command ? open.state : undefined;
  const loaded = await row.load(await app.client(), loadFrom(app, args, { from }));
  if (!loaded.ok) return app.say(loaded.error.what);
  const view = guardedView(row.view, (message) => breakPanel(app, command, message));
  app.dispatch({ type: "panel", panel: { command, args, view, state: loaded.value } });
}

function breakPanel(app: App, command: string, message: string): void {
  if (app.state().panel?.command === command) app.dispatch({ type: "panel", panel: undefined });
  const text = `The view of /${command} failed: ${message} The session continues.`;
  app.dispatch({ type: "event", event: errorEvent(text, "view_failed", new Date()) });
}

function loadFrom(
  app: App,
  args: string,
  { before, from }: Partial<Pick<PanelLoad<unknown>, "before" | "from">>,
): PanelLoad<unknown> {
  const { transcript, earlier = 0 } = app.state();
  return { args, before, from, transcript, earlier, keys: app.keys };
}

async function reload(app: App): Promise<void> {
  const { panel } = app.state();
  const row = panel && panelFor(panel.command);
  if (!panel || !row) return;
  const args = row.about?.(panel.state) ?? panel.args;
  const loaded = await row.load(await app.client(), loadFrom(app, args, { before: panel.state }));
  // It may have been closed, or another one opened, meanwhile.
  if (app.state().panel?.command !== panel.command || !loaded.ok) return;
  app.dispatch({ type: "panel", panel: { ...panel, state: loaded.value } });
}

export async function runInPanel(app: App, line: string): Promise<void> {
  const typed = parseTyped(line);
  if (typed.type !== "command") return;
  const outcome = await runSlash(
    typed,
    await app.client(),
    screenPerson(screenPrompts(app.dispatch, app.say), app.say),
  );
  if (!outcome.ok) app.dispatch({ type: "hint", text: outcome.error.what, until: Date.now() + 4000 });
  await reload(app);
}

/** An open panel follows what it shows. */
export function followPanel(app: App, event: Envelope): void {
  const { panel } = app.state();
  if (panel && panelFor(panel.command)?.follows?.includes(event.type)) void reload(app);
}
