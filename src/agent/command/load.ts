// Custom slash commands: Markdown files whose text becomes a prompt.
import { join, relative } from "node:path";
import { firstLine } from "../../base/text.ts";
import { filesIn } from "../../permission/project-files.ts";
import type { Rule } from "../../schema/permission.ts";
import { FieldReader, readToolRules } from "../file/field.ts";
import { normaliseName } from "../file/name.ts";
import { type Folder, type Grounds, pluginFolders, projectFolders } from "../file/places.ts";
import { type Document, readDocument } from "../file/read.ts";
import { expected, type FileWarning } from "../file/warning.ts";

type CustomCommand = {
  /** What is typed after the slash: `db:migrate`. */
  name: string;
  description: string;
  argumentHint?: string;
  /** Session approvals once it is used, never over a deny or ask rule. */
  allowedTools: readonly Rule[];
  body: string;
  path: string;
  layer: Folder["layer"];
};

export type CommandOptions = Grounds & {
  /** Names that are taken by commands of our own. */
  builtins: readonly string[];
};

export type Commands = { commands: readonly CustomCommand[]; warnings: readonly FileWarning[] };

const PROMPTS = ".github/prompts";
const PROJECT = [".everlong/commands", ".claude/commands", PROMPTS];
const NAME = /^[a-z][a-z0-9:-]*$/;
/** Trust looks no deeper either. */
const MAX_DEPTH = 4;

export async function loadCommands(options: CommandOptions): Promise<Commands> {
  const commands = new Map<string, CustomCommand>();
  const warnings: FileWarning[] = [];
  for (const { file, name } of commandFiles(options)) {
    const { document, warnings: unread } = await readDocument(file, options.trust);
    warnings.push(...unread);
    if (!document) continue;
    const read = new FieldReader(file.path, document.fields);
    const command = parseCommand(read, name, file, document);
    if (options.builtins.includes(name)) read.refuse("name", `/${name} is a command of Everlong's own.`);
    warnings.push(...read.warnings);
    if (!read.unusable && !commands.has(name)) commands.set(name, command);
  }
  return { commands: [...commands.values()], warnings };
}

function commandFiles(options: CommandOptions): { file: Folder; name: string }[] {
  const { everlongHome } = options;
  const folders: Folder[] = [
    ...projectFolders(options, PROJECT),
    { path: join(everlongHome, "commands"), layer: "user" },
    ...pluginFolders(everlongHome, "commands"),
  ];
  return folders.flatMap((folder) => {
    const [ending, depth] = folder.path.endsWith(PROMPTS) ? [".prompt.md", 0] : [".md", MAX_DEPTH];
    return filesIn(folder.path, ending, depth).map((path) => {
      const parts = relative(folder.path, path).slice(0, -ending.length).split("/");
      return { file: { ...folder, path }, name: parts.map(normaliseName).join(":") };
    });
  });
}

function parseCommand(read: FieldReader, name: string, { path, layer }: Folder, { body }: Document): CustomCommand {
  if (!NAME.test(name)) read.refuse("name", expected("a file name that begins with a letter", name));
  if (body === "") read.refuse("body", expected("the text of a prompt", undefined));
  const argumentHint = read.text("argument-hint");
  for (const field of ["model", "agent"])
    if (read.raw(field) !== undefined) read.warn(field, "it has no effect: a command runs with the session's own.");
  return {
    name,
    description: read.text("description") ?? firstLine(body, 100),
    allowedTools: readToolRules(read),
    body,
    path,
    layer,
    ...(argumentHint === undefined ? {} : { argumentHint }),
  };
}
