// Giving the terminal away for a while: to the shell by Ctrl+Z, to the user's own editor by Ctrl+G.
import { ok } from "../../base/result.ts";
import { home } from "../../runtime/client.ts";
import { textOf } from "../editor/text.ts";
import type { App } from "../loop/app.ts";

/** Where no shell could bring the job back, the system ignores the signal: then nothing was suspended. */
const IGNORED_MS = 100;

export async function suspend(app: App): Promise<void> {
  await app.painter.rest();
  app.painter.clear();
  app.terminal.release();
  let isBack = false;
  const comeBack = (): void => {
    if (isBack) return;
    isBack = true;
    process.off("SIGCONT", comeBack);
    app.terminal.take();
    app.painter.redraw();
  };
  process.on("SIGCONT", comeBack);
  // The whole job: a launcher above us would keep the terminal from the shell.
  process.kill(0, "SIGTSTP");
  setTimeout(comeBack, IGNORED_MS);
}

export async function editOutside(app: App, text: string): Promise<void> {
  await app.painter.rest();
  app.painter.clear();
  app.terminal.release();
  try {
    const edited = await home.edit(text, async (next) => ok(next));
    if (edited.ok) app.dispatch({ type: "written", text: textOf(edited.value.replace(/\n$/, "")) });
    else app.say([edited.error.what, edited.error.next].filter(Boolean).join(" "));
  } finally {
    app.terminal.take();
    app.painter.redraw();
  }
}
