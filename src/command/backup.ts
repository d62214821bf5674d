// `everlong backup`: one file with everything worth keeping, checked and put back.
import { commandUsage } from "../base/failure.ts";
import { fail } from "../base/result.ts";
import { home } from "../runtime/client.ts";
import { type Command, type CommandCall, type CommandOutcome, output } from "./contract.ts";
import { byteSize, counted, minute } from "./format.ts";

const restore: Command = {
  name: "restore",
  summary: "restore a backup",
  arguments: "<file>",
  options: [{ flags: "--replace", help: "replace existing data; the old folder is kept beside it" }],
  async run({ args: [file = ""], options }: CommandCall<{ replace?: boolean }>) {
    const restored = await home.backup.restoreBackup(file, options);
    if (!restored.ok) return restored;
    const { home: folder, files, createdAt, movedTo } = restored.value;
    const lines = [`Restored ${counted(files, "file")} from ${minute(createdAt)} to ${folder}.`];
    if (movedTo !== undefined) lines.push(`The old data is in ${movedTo}; delete it when you no longer need it.`);
    return output(lines.join("\n"));
  },
};

export const backup: Command = {
  name: "backup",
  summary: "back up all sessions, memories and settings to one file",
  arguments: "[file]",
  options: [
    { flags: "--with-secrets", help: "include the gateway token and secret.key" },
    { flags: "--verify", help: "check a backup instead of making one" },
  ],
  subcommands: [restore],
  async run({ args: [file], options }: CommandCall<{ withSecrets?: boolean; verify?: boolean }>, { person }) {
    if (options.verify) return verify(file);
    const written = await home.backup.makeBackup(file, options);
    if (!written.ok) return written;
    const { leftOut, links, bytes, files, secrets } = written.value;
    const note = secrets ? "It contains secrets: keep it safe." : "It contains no secrets.";
    const lines = [written.value.file, `${counted(files, "file")}, ${byteSize(bytes)}. ${note}`];
    if (links.length > 0) lines.push(`Links not followed: ${links.join(", ")}`);
    if (leftOut.length === 0) return output(lines.join("\n"));
    person.print(lines.join("\n"));
    const missing = leftOut.map(({ path, reason }) => `  ${path}: ${reason}`);
    return fail({
      code: "backup_incomplete",
      what: `${counted(leftOut.length, "file")} could not be read and ${leftOut.length === 1 ? "is" : "are"} not in the backup:\n${missing.join("\n")}`,
      exit: 1,
    });
  },
};

async function verify(file: string | undefined): Promise<CommandOutcome> {
  if (file === undefined) return fail(commandUsage("--verify needs a file.", "everlong backup --verify FILE"));
  const checked = await home.backup.verifyBackup(file);
  if (!checked.ok) return checked;
  const { files, createdAt, secrets } = checked.value;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return output(
    `The backup is complete: ${counted(files.length, "file")}, ${byteSize(bytes)}, made ${minute(createdAt)}${secrets ? ", with secrets" : ""}.`,
  );
}
