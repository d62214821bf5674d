// Settings of the terminal: looks, plain mode, what the status line shows, when it rings, what is logged.
import { environment, type SettingRow, user } from "../row.ts";

export const terminalRows = [
  user.text(
    "ui.theme",
    "EVERLONG_THEME",
    "auto",
    "Colours: auto, dark, light, high-contrast, colour-blind, mono, or a file in themes/",
  ),
  user.toggle(
    "ui.plain",
    ["EVERLONG_PLAIN", "ACCESSIBLE"],
    false,
    "Plain lines for screen readers and simple terminals",
    {
      flags: ["--plain"],
    },
  ),
  user.choice(
    "ui.ascii",
    "EVERLONG_ASCII",
    ["auto", "on", "off"],
    "auto",
    "ASCII characters only; auto looks at the locale",
  ),
  environment.toggle("ui.asciiOnly", [], false, "ASCII characters only", { flags: ["--ascii"] }),
  user.toggle("ui.color", "EVERLONG_COLOR", true, "Use colours", { flags: ["--no-color"] }),
  user.choice("ui.motion", "EVERLONG_MOTION", ["on", "off"], "on", "The moving glyph while something runs"),
  user.list("ui.statusLine", "EVERLONG_STATUS_LINE", "Items of the status line, in this order", {
    defaultText: "mode, model, context, tasks, inbox, memory, branch, cost, gateway",
  }),
  user.text("ui.statusCommand", [], undefined, "Command whose first line of output is shown in the status line", {
    defaultText: "none",
  }),
  user.integer("ui.toolOutputLines", "EVERLONG_TOOL_OUTPUT_LINES", 8, "Lines of a tool's output on the screen", {
    min: 1,
    max: 1000,
  }),
  user.choice(
    "ui.reasoning",
    "EVERLONG_REASONING",
    ["line", "full", "hide"],
    "line",
    "How much of the model's reasoning is shown",
  ),
  user.choice(
    "ui.bell",
    "EVERLONG_BELL",
    ["attention", "done", "off"],
    "attention",
    "Ring for questions; done: also after a turn of 30 s",
  ),
  user.toggle("ui.title", "EVERLONG_TITLE", true, "Say in the window's title what is being done"),
  user.choice(
    "log.level",
    "EVERLONG_LOG_LEVEL",
    ["error", "warn", "info", "debug"],
    "info",
    "How much is written to logs/everlong.jsonl; debug: also what was cancelled",
  ),
] as const satisfies readonly SettingRow[];
