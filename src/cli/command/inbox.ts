// `everlong inbox`: what sidekicks have sent to a session.
import type { Command } from "commander";
import type { Print } from "./print.ts";

export function addInbox(program: Command, print: Print): void {
  const load = () => import("../../runtime/sidekick/inbox-command.ts");
  const inbox = program.command("inbox").description("what background agents have found for a session");
  const of = (command: Command): Command =>
    command.option("--session <id>", "of that session instead of the latest of this folder");
  of(inbox.command("list", { isDefault: true }))
    .description("entries, unread ones first")
    .option("--json", "as JSON, one object a line")
    .action(async (options) => print((await load()).inboxList(options)));
  of(inbox.command("show <id>"))
    .description("one entry; it stays unread for the agent")
    .option("--json", "as JSON")
    .action(async (id, options) => print((await load()).inboxShow(id, options)));
  of(inbox.command("delete <id>"))
    .option("--yes", "do not ask")
    .action(async (id, options) => print((await load()).inboxDelete(id, options)));
}
