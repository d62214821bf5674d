// The reaper: a tiny shell that outlives its owner just long enough to end what the owner left behind.
import { type ChildProcess, spawn } from "node:child_process";
import { brandLine, type ProcessMark } from "./survivors.ts";

// Lines on stdin: `+ GROUP` before that group's program starts, `- GROUP` when it is empty, `q` when all is well.
// The pipe closing without `q` means that the owner died, however it died. $1 is the owner's mark in the environment, $2 its
// brand. The reaper itself must have no brand: an owner inside another one's child inherits that one's.
const SCRIPT = `
trap '' HUP INT TERM
{ ulimit -S -w unlimited || ulimit -S -x unlimited; } 2>/dev/null
groups=' '
while read -r verb id; do
  case $verb in
    +) groups="$groups$id " ;;
    -) case $groups in *" $id "*) groups="\${groups%% $id *} \${groups#* $id }" ;; esac ;;
    q) exit 0 ;;
  esac
done
for sig in TERM KILL KILL; do
  for group in $groups; do kill -s $sig -- -$group; done
  for file in $(grep -lF -- "$1" /proc/[0-9]*/environ; grep -lF -- "$2" /proc/[0-9]*/limits); do
    pid=\${file#/proc/}
    kill -s $sig "\${pid%/*}"
  done
  sleep 1
done
`;

export type Reaper = {
  /** Resolves when the reaper's pipe holds the line; false when there is no reaper any more. */
  tell: (line: string) => Promise<boolean>;
  alive: () => boolean;
  end: () => void;
};

export function startReaper(mark: ProcessMark): Reaper {
  // Without the owner's environment, so that no scan for a mark ever finds the reaper itself.
  const child: ChildProcess = spawn(
    "/bin/sh",
    ["-c", SCRIPT, "everlong-reaper", mark.environment, brandLine(mark.brand)],
    {
      detached: true,
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"],
    },
  );
  let alive = true;
  const gone = () => {
    alive = false;
  };
  child.on("exit", gone).on("error", gone);
  child.unref();
  const pipe = child.stdin;
  // The pipe must not hold the process, and a broken one shows as a failed `tell`.
  pipe?.on("error", gone);
  if (pipe && "unref" in pipe && typeof pipe.unref === "function") pipe.unref();
  return {
    alive: () => alive,
    tell: (line) =>
      new Promise((resolve) => (pipe?.writable ? pipe.write(`${line}\n`, (e) => resolve(!e)) : resolve(false))),
    end: () => pipe?.end("q\n"),
  };
}
