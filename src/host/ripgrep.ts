// Searching with ripgrep: its binary comes with the package, its run has an owner, a time limit and a bound on output.
import { createRequire } from "node:module";
import { within } from "../base/abort.ts";
import type { Owner } from "./process.ts";

let path: string | undefined;

/** Where the binary of this platform lies. Throws when the package was installed for another platform. */
export function ripgrepPath(): string {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  path ??= createRequire(createRequire(import.meta.url).resolve("@vscode/ripgrep")).resolve(
    `@vscode/ripgrep-${process.platform}-${process.arch}/bin/${name}`,
  );
  return path;
}

export type Search = {
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
  const chunks: Buffer[] = [];
  let bytes = 0;
  let stderr = "";
  const full = new Promise<"cut">((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      if (bytes < search.maxBytes) chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= search.maxBytes) resolve("cut");
    });
  });
  child.stderr.on("data", (chunk: Buffer) => {
    if (stderr.length < 4096) stderr += chunk.toString("utf8");
  });
  const ended = await within(
    Promise.race([full, child.closed.then(() => "done" as const)]),
    search.limitMs,
    search.signal,
  );
  const type = ended.type === "value" ? ended.value : ended.type;
  if (type !== "done") void child.kill();
  const end = type === "done" ? await child.exit : undefined;
  return {
    type,
    stdout: Buffer.concat(chunks).subarray(0, search.maxBytes),
    stderr: end?.error ?? stderr,
    code: end?.code ?? null,
  };
}
