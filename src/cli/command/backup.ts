// `everlong backup`: one file with everything worth keeping, checked and put back.
import type { Command } from "commander";
import { ok } from "../../base/result.ts";
import { EXIT, printFailure } from "../exit.ts";
import { byteSize, counted, minute } from "../format/table.ts";
import type { Done, Print } from "./print.ts";

export function addBackup(program: Command, print: Print, done: Done): void {
  const load = () => import("../../runtime/backup/backup.ts");
  const backup = program
    .command("backup [file]")
    .description(
      "write all sessions, memories and settings into one .tar.gz; beside the home folder unless a file is named",
    )
    .option("--with-secrets", "also the gateway's token and the key of redaction marks")
    .option("--verify", "check that backup instead of making one")
    .action(async (file: string | undefined, options: { withSecrets?: boolean; verify?: boolean }) => {
      if (options.verify) return print(verify(file));
      const made = await (await load()).makeBackup(file, options);
      if (!made.ok) return done(printFailure(made.error));
      const { leftOut, links, bytes, files, secrets } = made.value;
      const kept = secrets ? "It holds secrets: keep it safe." : "Secrets are not in it.";
      process.stdout.write(`${made.value.file}\n${counted(files, "file")}, ${byteSize(bytes)}. ${kept}\n`);
      if (links.length > 0) process.stdout.write(`Links are not followed: ${links.join(", ")}\n`);
      if (leftOut.length === 0) return done(EXIT.done);
      const lines = leftOut.map(({ path, reason }) => `  ${path}: ${reason}`);
      process.stderr.write(
        `${counted(leftOut.length, "file")} could not be read and ${leftOut.length === 1 ? "is" : "are"} not in the backup:\n${lines.join("\n")}\n`,
      );
      done(EXIT.failed);
    });
  async function verify(file: string | undefined) {
    if (file === undefined) {
      const { commandUsage } = await import("../../base/failure.ts");
      return { ok: false as const, error: commandUsage("--verify needs a file.", "everlong backup --verify FILE") };
    }
    const checked = await (await load()).verifyBackup(file);
    if (!checked.ok) return checked;
    const { files, createdAt, secrets } = checked.value;
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    return ok(
      `The backup is whole: ${counted(files.length, "file")}, ${byteSize(bytes)}, made ${minute(createdAt)}${secrets ? ", with secrets" : ""}.`,
    );
  }
  backup
    .command("restore <file>")
    .description("check a backup and put it in place of the home folder")
    .option("--replace", "even if there is data: the old folder is moved aside and kept")
    .action(async (file: string, options: { replace?: boolean }) => {
      const { restoreBackup } = await import("../../runtime/backup/restore.ts");
      const restored = await restoreBackup(file, options);
      if (!restored.ok) return done(printFailure(restored.error));
      const { home, files, createdAt, movedTo } = restored.value;
      const lines = [`Restored ${counted(files, "file")} from ${minute(createdAt)} to ${home}.`];
      if (movedTo !== undefined) lines.push(`The old data is in ${movedTo}; delete it when you no longer need it.`);
      process.stdout.write(`${lines.join("\n")}\n`);
      done(EXIT.done);
    });
}
