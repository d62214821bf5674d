// Searching with ripgrep: its binary comes with the package, its run has an owner, a time limit and a bound on output.
import { createRequire } from "node:module";
import { within } from "../base/abort.ts";
import { collect } from "./collect.ts";
import type { Owner } from "./process.ts";

const MAX_STDERR = 4096;

let path: string | undefined;

/** Where the binary of this platform lies. Throws when the package was installed for another platform. */
export function ripgrepPath(): string {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  path ??= createRequire(createRequire(import.meta.url).resolve("@vscode/ripgrep")).resolve(
    `@vscode/ripgrep-${process.platform}-${process.arch}/bin/${name}`,
  );
  return path;
}

type Search = {
  owner: Owner;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  limitMs: number;
  /** Output beyond this is not read; the search is ended. */
  maxBytes: number;
  signal: AbortSignal;
};

type SearchEnd = {
  /** `cut`: more output than the bound. */
  type: "done" | "cut" | "timeout" | "aborted";
  stdout: Buffer;
  stderr: string;
  /** 0 something found, 1 nothing, 2 an error; null when ended early. */
  code: number | null;
};

export async function ripgrep(search: Search): Promise<SearchEnd> {
  const child = search.owner.spawn({ command: ripgrepPath(), args: search.args, cwd: search.cwd, env: search.env });
  const full = Promise.withResolvers<"cut">();
  const stdout = collect(child.stdout, search.maxBytes, () => full.resolve("cut"));
  const stderr = collect(child.stderr, MAX_STDERR);
  const ending = child.closed.then(() => "done" as const);
  const ended = await within(Promise.race([full.promise, ending]), search.limitMs, search.signal);
  const type = ended.type === "value" ? ended.value : ended.type;
  if (type !== "done") void child.kill();
  const end = type === "done" ? await child.exit : undefined;
  return {
    type,
    stdout: stdout(),
    stderr: end?.error ?? stderr().toString("utf8"),
    code: end?.code ?? null,
  };
}
