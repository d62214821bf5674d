// Going back in a session: `/rewind`, `/undo` and `everlong sessions rewind`, with the files or without.
import { commandUsage, type Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import type { Client, PromptRef, RewindReport } from "../runtime/client.ts";
import { type CommandOption, type CommandOutcome, describe, type SlashCommand } from "./contract.ts";
import { counted } from "./format.ts";

export type RewindOptions = { files?: boolean; overwrite?: boolean };

export const rewindOptions: readonly CommandOption[] = [
  { flags: "--files", help: "also restore files the agent changed since, unless someone else changed them too" },
  { flags: "--overwrite", help: "restore those too; a copy of each is kept" },
];

export const filesOf = ({ files, overwrite }: RewindOptions): "stay" | "restore" | "overwrite" =>
  overwrite ? "overwrite" : files ? "restore" : "stay";

const USAGES = { undo: "[--files [--overwrite]]", rewind: "[N|tN|EVENT] [--files [--overwrite]]" };
type Name = keyof typeof USAGES;

export const undo: SlashCommand = {
  name: "undo",
  summary: "undo the last message",
  slash: { usage: USAGES.undo, run: async (text, client) => back(client, text, "undo") },
};

export const rewind: SlashCommand = {
  name: "rewind",
  summary: "go back to an earlier message",
  slash: {
    usage: USAGES.rewind,
    run: async (text, client) => (text === "" ? preview(client) : back(client, text, "rewind")),
  },
};

type Words = { to: string | undefined; options: RewindOptions };

function readWords(text: string, name: Name): Result<Words, Failure> {
  const usage = `/${name} ${USAGES[name]}`;
  const words = text.split(/\s+/).filter(Boolean);
  const flags = words.filter((word) => word.startsWith("--"));
  const places = words.filter((word) => !word.startsWith("--"));
  const odd = flags.find((flag) => flag !== "--files" && flag !== "--overwrite");
  if (odd !== undefined) return fail(commandUsage(`/${name} does not know ${odd}.`, usage));
  if (places.length > (name === "undo" ? 0 : 1))
    return fail(commandUsage(`/${name} does not take "${places.join(" ")}".`, usage));
  return ok({
    to: places[0],
    options: { files: flags.includes("--files"), overwrite: flags.includes("--overwrite") },
  });
}

async function back(client: Client, text: string, name: Name): Promise<CommandOutcome> {
  const words = readWords(text, name);
  if (!words.ok) return words;
  return rewindOutcome(await client.history.rewind(words.value.to, filesOf(words.value.options)), () => "/undo");
}

const preview = (client: Client): CommandOutcome =>
  describe(client.history.preview(undefined), ({ prompts, files }) =>
    [
      "/rewind N goes back N messages; 1 would remove:",
      ...prompts.map(promptLine),
      ...(files.length === 0 ? [] : ["With --files also:", ...files.map(fileLine)]),
    ].join("\n"),
  );

const FILE_WORDS = { restore: "restore", remove: "remove (new since then)", skip: "skip" };
const fileLine = ({ path, action, why }: { path: string; action: keyof typeof FILE_WORDS; why?: string }) =>
  `  ${path}: ${FILE_WORDS[action]}${why === undefined ? "" : `, ${why}`}`;

const promptLine = ({ ref, content }: PromptRef): string => `${ref}: ${content.split("\n", 1)[0]?.slice(0, 80)}`;

/** The same words for `/rewind`, `/undo` and `everlong sessions rewind`. `again`: the command that puts back what was left. */
export const rewindOutcome = (
  result: Result<RewindReport, Failure>,
  again: (ref: string | undefined) => string,
): CommandOutcome =>
  describe(result, (report) => ({
    data: report,
    text: [
      ...(report.prompts.length === 0
        ? ["These files were skipped last time. The conversation is unchanged."]
        : [`Went back. Removed ${counted(report.prompts.length, "message")} from the conversation:`]),
      ...report.prompts.map(promptLine),
      ...filesText(report, again(report.prompts[0]?.ref)),
    ].join("\n"),
  }));

function filesText({ prompts, files }: RewindReport, again: string): string[] {
  const log = prompts.length === 0 ? "" : "The log keeps them and recall can find them. ";
  if (!files) return [`${log}Files and the effects of commands stay as they are.`];
  const { restored, skipped, copies } = files;
  return [
    restored.length === 0 ? "No files to restore." : `Restored ${counted(restored.length, "file")}:`,
    ...restored.map((path) => `  ${path}`),
    ...(skipped.length === 0 ? [] : ["Skipped:", ...skipped.map(({ path, why }) => `  ${path}: ${why}`)]),
    ...(skipped.some(({ isForeign }) => isForeign)
      ? [`${again} --files --overwrite restores those that someone else changed; a copy of each is kept.`]
      : []),
    ...copies.map(({ path, copy }) => `The replaced ${path} is kept as ${copy}.`),
    `${log}The effects of commands stay.`,
  ];
}
