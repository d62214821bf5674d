// Plans against a real bash: thousands of generated lines, and whatever runs unasked runs with exactly the words that were judged.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text is shell, not TypeScript
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { soakCount } from "../../../test/tool/soak.ts";
import { decide } from "../decide.ts";
import { inspect } from "../inspect.ts";
import { planOf } from "../permit.ts";
import { makePlace } from "../test-place.ts";
import { isUnasked, renderPlan, type ShellPlan } from "./plan.ts";

const LINES = soakCount(4_000, 100_000);
const SEED = process.env["EVERLONG_SOAK"] ? Date.now() : 20261117;

const place = makePlace();
for (const name of [
  "a",
  "b c",
  "-n",
  "x\ny",
  "é",
  "*",
  "[a]",
  "{a,b}",
  ".hidden",
  "src/a.ts",
  "src/b.ts",
  "$x",
  "\x01c",
  "\x7fd",
  "\\e",
  "~",
  "#",
])
  place.file(`project/${name}`);
mkdirSync(join(place.root, "bytes"));
writeFileSync(Buffer.concat([Buffer.from(join(place.root, "bytes/")), Buffer.from([0xff])]), "x");
mkdirSync(join(place.root, "links"));
symlinkSync("/etc/passwd", join(place.root, "links/out"));

const one = fc.constantFrom;
/** Every escape of $'…', with the ends that bash and others read differently. */
const ansi = fc
  .array(
    one(
      ..."a b - / \\n \\t \\r \\\\ \\' \\\" \\? \\a \\b \\e \\E \\f \\v \\x2d \\x{2d} \\x{2d \\x2 \\x \\x2d2 \\xff \\x00 \\055 \\55 \\5 \\0 \\u002d \\u2d \\U0000002d \\u00e9 \\cM \\c\\ \\c? \\z \\- é ! $ ` ; * { } ~ #".split(
        " ",
      ),
    ),
    { maxLength: 4 },
  )
  .map((parts) => `$'${parts.join("")}'`);
const plainText = fc.string({
  unit: one(...'ab-/. $`"\\*?[]{},~#!;&|<>()=:é\n\t^%@+'.split(""), "\r", "\u00a0"),
  maxLength: 5,
});
const piece = fc.oneof(
  {
    weight: 12,
    arbitrary: one("a", "b", "src", "-n", "-la", "--", "/", ".", "..", "=", "x=1", "é", ":", "+", "@", "%", "^", "!"),
  },
  { weight: 3, arbitrary: plainText.filter((s) => !s.includes("'")).map((s) => `'${s}'`) },
  { weight: 3, arbitrary: plainText.map((s) => `"${s.replace(/["\\`$]/g, "\\$&")}"`) },
  { weight: 1, arbitrary: plainText.map((s) => `"${s}"`) },
  { weight: 2, arbitrary: ansi },
  {
    weight: 2,
    arbitrary: one(
      "*",
      "?",
      "[a]",
      "[!a]",
      "[a-c]",
      "[[:alpha:]]",
      "src/*",
      "*.ts",
      "bytes/*",
      "links/*",
      ".*",
      "**",
      "[",
      "]",
      "*/",
      "*//",
      "src//*",
      "[^-]*",
    ),
  },
  {
    weight: 2,
    arbitrary: one("\\\n", "\\ ", "\\$", "\\'", '\\"', "\\\\", "\\a", "\\*", "\\#", "\\~", "\\{", "\\!", "\\"),
  },
  {
    weight: 1,
    arbitrary: one("{a,b}", "{1..3}", "{a", "a}", "{}", "{,}", "{a,b}{c,d}", "~", "~/", "~root", "~+", "#", "#a"),
  },
  {
    weight: 1,
    arbitrary: one(
      "$x",
      "${x}",
      "$?",
      "$!",
      "$_",
      "$#",
      "$$",
      "$RANDOM",
      "$SECONDS",
      "$HOME",
      "${#}",
      "$'",
      '$"a"',
      "$(echo a)",
      "`echo a`",
      "$((1))",
      "$",
      "$ ",
      "<(a)",
      "@(a|b)",
      "!(a)",
    ),
  },
  {
    weight: 1,
    arbitrary: one(
      "\r",
      "\t",
      "\u00a0",
      "\u200b",
      "\0",
      "\x01",
      "\x7f",
      "\ufffd",
      "\ud800",
      "\u2028",
      "ａ",
      "\f",
      "\v",
    ),
  },
);
const word = fc.array(piece, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
const program = fc.oneof(
  { weight: 8, arbitrary: one("cat", "ls", "echo", "wc", "head", "grep", "printf", "test", "sort") },
  {
    weight: 1,
    arbitrary: one(
      "c''at",
      "\\ls",
      '"wc"',
      "$'cat'",
      "$'\\x63at'",
      "$'c\\x{61}t'",
      "ca?",
      "{cat,a}",
      "touch",
      "git",
      "c\\\nat",
    ),
  },
);
const redirect = one(
  "",
  "",
  "",
  "",
  " 2>&1",
  " >/dev/null",
  " 2>/dev/null",
  " &>/dev/null",
  " > /dev/null 2>&1",
  " >&2",
  " </dev/null",
  " > f",
  " < a",
  " <<< a",
  " <<E\na\nE\n",
  " 2>&-",
  " 3>&1",
  " >| f",
  " >>/dev/null",
  " 1>/dev/null",
  " {x}>/dev/null",
);
const command = fc
  .tuple(one("", "", "", "", "! ", "x=1 ", "time ", ">/dev/null "), program, fc.array(word, { maxLength: 3 }), redirect)
  .map(([prefix, name, words, end]) => `${prefix}${[name, ...words].join(" ")}${end}`);
const joint = one("; ", " && ", " || ", " | ", "\n", " |& ", " & ", ";", " #c\n", ";;", "\r\n", " \\\n&& ");
const line = fc.oneof(
  { weight: 5, arbitrary: command },
  { weight: 3, arbitrary: fc.tuple(command, joint, command).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.tuple(command, joint, command, joint, command).map((parts) => parts.join("")) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(one("cd src", "cd src/..", "cd ./src/", "cd -P src", "cd ~"), joint, command)
      .map((p) => p.join("")),
  },
  { weight: 1, arbitrary: command.map((c) => `(${c})`) },
);

/** Records of what ran: the number of words, then each of them, so that no word can look like two. */
const RECORDER = `
exec 9>>"$1"
# Bash writes at each line end, and the commands of a pipeline would write into each other's records.
record() { local words=("\${@//$'\\n'/<newline>}"); builtin printf '%s\\0' "$#" "\${words[@]}" >&9; }
for name in cat ls wc head grep sort; do
  eval "$name() { record $name \\"\\$@\\"; }; function /usr/bin/$name { record $name \\"\\$@\\"; }; function /bin/$name { record $name \\"\\$@\\"; }"
done
for name in echo printf test; do eval "$name() { record $name \\"\\$@\\"; }"; done
cd() { record cd; builtin cd "$@"; }
command() { if [[ $1 == cd ]]; then shift; cd "$@"; else record "$@"; fi; }
while IFS= builtin read -r -d '' line <&8; do
  builtin printf 'line\\0' >&9
  ( eval "$line" ) </dev/null >/dev/null 2>&1
done 8<"$2"
exit 0
`;

function runAll(lines: readonly string[]): string[][][] {
  const log = place.file(`runs-${Math.random()}`, "");
  const input = place.file(`lines-${Math.random()}`, lines.map((l) => `${l}\0`).join(""));
  const env = { PATH: "/nonexistent", HOME: place.userHome, LC_ALL: "C.UTF-8" };
  const run = spawnSync("/bin/bash", ["--norc", "-c", RECORDER, "bash", log, input], { cwd: place.root, env });
  if (run.status !== 0) throw new Error(run.stderr.toString());
  return recordsOf(readFileSync(log, "utf8").replaceAll("<newline>", "\n").split("\0").slice(0, -1));
}

function recordsOf(fields: readonly string[]): string[][][] {
  const lines: string[][][] = [];
  for (let at = 0, next = 0; at < fields.length; at = next) {
    const isLine = fields[at] === "line";
    next = at + 1 + (isLine ? 0 : Number(fields[at]));
    if (isLine) lines.push([]);
    else lines.at(-1)?.push(fields.slice(at + 1, next));
  }
  return lines.map((records) => records.sort(byText));
}

const byText = (a: string[], b: string[]): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** What runs of a plan when every command of it succeeds. */
function judgedWords(plan: ShellPlan): string[][] {
  let succeeded = true;
  const ran = plan.pipelines.flatMap(({ joint: how, negated, commands }) => {
    if ((how === "&&" && !succeeded) || (how === "||" && succeeded)) return [];
    succeeded = !negated;
    return commands.map(({ argv }) => (argv[0] === "cd" ? ["cd"] : [...argv]));
  });
  return ran.sort(byText);
}

it("N1 N2 N3 every line that runs unasked runs with the words that were judged, and bash would have read it so too", async () => {
  const policy = place.policy();
  const unasked: { text: string; plan: ShellPlan }[] = [];
  for (const text of fc.sample(line, { numRuns: LINES, seed: SEED })) {
    const parts = await inspect([{ kind: "shell", command: text }], { cwd: place.root, userHome: place.userHome });
    if (decide(parts, policy).type !== "allow") continue;
    const plan = planOf(parts, policy);
    // No line runs as text.
    expect({ text, isPlanned: plan !== undefined && isUnasked(plan) }).toEqual({ text, isPlanned: true });
    if (plan) unasked.push({ text, plan });
  }
  const rendered = runAll(unasked.map(({ plan }) => renderPlan(plan)));
  const original = runAll(unasked.map(({ text }) => text));
  expect(rendered.length).toBe(unasked.length);
  const differences = unasked.flatMap(({ text, plan }, i) => {
    const judged = judgedWords(plan);
    const isSame = [rendered[i], original[i]].every((ran) => JSON.stringify(ran) === JSON.stringify(judged));
    return isSame ? [] : [{ text, judged, ran: rendered[i], meant: original[i] }];
  });
  expect({ seed: SEED, differences: differences.slice(0, 8) }).toEqual({ seed: SEED, differences: [] });
  expect(unasked.length).toBeGreaterThan(LINES / 10);
}, 600_000);
