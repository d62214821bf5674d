// The analysis against a real bash: random lines run where only recording programs exist, and what ran must have been seen.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { analyseShell } from "./analyse.ts";

const RUNS = 200;

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const odd = fc.constantFrom(
  ..."' \" \\ # ~ * ` $ ( ) { } [ ] < > ; & | ! = \n \t \r $( << <<< $' }; )) 2>&1 \\\n ${x:- |&".split(" "),
);
const { line } = fc.letrec<{ line: string; simple: string }>((tie) => {
  const inner = tie("line");
  const form = (make: (a: string, b: string) => string) => fc.tuple(inner, inner).map(([a, b]) => make(a, b));
  return {
    simple: fc.constantFrom(
      ...["a", "b x", "'c' y", "\\a", "$'\\x61' 1", "a 'b; c'", 'a "b # c"', "a \\; b", "command a", "exec b", "r''a"],
      ...[
        "trap 'c' EXIT",
        "b '\nc'",
        "a \\\n b",
        "a <<< b",
        "a <<E\nb\nE\n",
        "a <<'E'\n$(b)\nE\n",
        "a $(( 1 ))",
        "x=1 b",
      ],
    ),
    line: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      tie("simple"),
      form((a, b) => `${a}; ${b}`),
      form((a, b) => `${a} && ${b}`),
      form((a, b) => `${a} || ${b}`),
      form((a, b) => `${a} | ${b}`),
      form((a, b) => `${a}\n${b}`),
      form((a, b) => `${a} & wait; ${b}`),
      form((a, b) => `( ${a}; ${b} )`),
      form((a, b) => `{ ${a}; ${b}; }`),
      form((a, b) => `if ${a}; then ${b}; fi`),
      form((a, b) => `for i in 1 $(${a}); do ${b}; done`),
      form((a, b) => `case $(${a}) in *) ${b};; esac`),
      form((a, b) => `a "$(${a})" \`${b.replaceAll(/[`\\]/g, "")}\``),
      form((a, b) => `a <(${a}) > >(${b})`),
      form((a, b) => `x=$(${a}); y=("$(${b})")`),
      form((a, b) => `[[ -n $(${a}) || -z \${x:-$(${b})} ]]`),
      form((a, b) => `a <<E\n$(${a})\nE\n${b}`),
      form((a, b) => `/bin/bash -c ${quote(a)}; eval ${quote(b)}`),
      form((a, b) => `! ${a} # ${b}`),
      form((a, b) => `time ${a} > f 2>&1 | ${b}`),
      fc.tuple(inner, odd, inner).map(([a, o, b]) => `${a}${o}${b}`),
    ),
  };
});

it("SEC20 A7.10 nothing runs in a real bash that the analysis has not listed or called opaque", async () => {
  const base = mkdtempSync(join(tmpdir(), "everlong-bash-"));
  const bin = join(base, "bin");
  const work = join(base, "work");
  const log = join(base, "log");
  mkdirSync(bin);
  for (const name of ["a", "b", "c", "x", "y"])
    writeFileSync(join(bin, name), `#!/bin/bash\necho ${name} >> ${log}\n`, { mode: 0o755 });
  let ran = 0;
  // One fixed sample, without functions and coprocesses: these lines really run, and none may call itself for ever.
  for (const text of fc.sample(line, { numRuns: RUNS, seed: 7 })) {
    const { commands } = await analyseShell(text, "/home/me");
    // A command with a word that is not literal is opaque itself, but what is inside that word must still be listed.
    if (commands.some((c) => c.opaqueReason && c.opaqueReason !== "a word of it is not literal")) continue;
    const seen = commands.flatMap((c) => c.words.slice(0, c.opaqueReason ? undefined : 1).map((w) => w.value));
    rmSync(work, { recursive: true, force: true });
    mkdirSync(work);
    writeFileSync(log, "");
    spawnSync("/bin/bash", ["-c", text], { cwd: work, env: { PATH: bin, HOME: "/home/me" }, timeout: 5000, input: "" });
    const names = new Set(readFileSync(log, "utf8").split("\n").filter(Boolean));
    expect({ text, unseen: [...names].filter((name) => !seen.includes(name)) }).toEqual({ text, unseen: [] });
    ran += names.size;
  }
  rmSync(base, { recursive: true });
  expect(ran).toBeGreaterThan(10);
});
