// Starts the command line. The one file outside the rooms.
import { main } from "./cli/main.ts";

await main(process.argv.slice(2), EVERLONG_VERSION, async (run) => (await import("./tui/main.ts")).runTerminal(run));
