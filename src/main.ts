// Starts the command line, and gives it the faces that it may start. The one file outside the rooms.
import { main } from "./cli/main.ts";

/** Parts of the program are CommonJS, which cannot wait: whoever loads this one does. */
export const ended = main(process.argv.slice(2), EVERLONG_VERSION, {
  terminal: async (run) => (await import("./tui/main.ts")).runTerminal(run),
  editor: async (options, own) => (await import("./acp/serve.ts")).serveEditor(options, own),
});
