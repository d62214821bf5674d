// A text in the user's own editor: a private file of home that goes only once its text is where it belongs.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorText, type Failure, refusal } from "../../base/failure.ts";
import { fail, type Result } from "../../base/result.ts";
import { openWorkspace } from "../workspace.ts";

/** `save` gets what the editor left; when it fails, the text stays in its file and the failure says where. */
export async function editText<T>(
  text: string,
  save: (edited: string) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const { env, paths } = workspace.value;
  const editor = env["VISUAL"]?.trim() || env["EDITOR"]?.trim();
  if (!editor) return fail(failure("No editor is set.", "Set VISUAL or EDITOR, or write with -f FILE."));
  const folder = join(paths.home, "with");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `edit-${randomBytes(6).toString("hex")}.md`);
  writeFileSync(path, text, { flag: "wx", mode: 0o600 });
  try {
    const code = await run(editor, path);
    if (code !== 0) return keptFile(failure(`${editor} exited with ${code}.`, "Try again."), path);
    const saved = await save(readFileSync(path, "utf8"));
    if (!saved.ok) return keptFile(saved.error, path);
    rmSync(path);
    return saved;
  } catch (error) {
    return keptFile(
      failure(`${editor}: ${errorText(error)}.`, "Set VISUAL or EDITOR to a program that can be run."),
      path,
    );
  }
}

/** The user's own program with the user's own terminal and environment; it ends when the user ends it. */
function run(editor: string, path: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", path], { stdio: "inherit" });
  child.once("error", reject).once("exit", (code) => resolve(code ?? 1));
  return promise;
}

const keptFile = (why: Failure, path: string) =>
  fail({ ...why, next: `${why.next ?? ""} Your text is in ${path}.`.trim() });

const failure = (what: string, next: string): Failure => refusal("not_edited", what, next);
