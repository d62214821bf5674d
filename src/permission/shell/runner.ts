// The one table of programs that run other programs, and how each is told which.

export type Runner = {
  /** Letters of options without a value, and of those with one. */
  flags?: string;
  values?: string;
  /** Long options without a value, and with one. */
  long?: string;
  longValues?: string;
  /** Operands before the command. */
  operands?: number;
  /** The letter of an option whose value is a line for a shell; `command` is its long name. */
  code?: string;
  /** Its words together are a line for a shell. */
  joins?: true;
  /** Without a command it runs nothing; any other may then start a shell, which reads from its input. */
  idle?: true;
  /** `NAME=value` may stand before the command. */
  assigns?: true;
  /** Adds nothing to what it runs, which is judged by itself. */
  transparent?: true;
  /** Runs it in another folder, root or machine. */
  elsewhere?: true;
};

const TRANSPARENT: Runner = { transparent: true, idle: true };
const LOGIN: Runner = {
  flags: "-lmpfP",
  values: "ugGsw",
  code: "c",
  operands: 1,
  long: "login preserve-environment pty",
  longValues: "user group shell",
};
const TRACER: Runner = { flags: "fFqrtTvxyziknCcdD", values: "abeEoOpPsSuUXAl" };
const TYPED: Runner = { operands: 1, code: "c" };

/** `name [options] [operands] command…`: an option that is not here makes the command unknown. */
export const RUNNERS: Readonly<Record<string, Runner>> = {
  builtin: TRANSPARENT,
  busybox: {},
  chroot: { operands: 1, longValues: "userspec groups", elsewhere: true },
  chrt: { idle: true, flags: "abdfimorRv", values: "TPD", operands: 1 },
  command: { idle: true, flags: "p", transparent: true },
  "dbus-run-session": {},
  doas: { flags: "n", values: "u" },
  eatmydata: {},
  env: { idle: true, flags: "-i0v", values: "u", long: "ignore-environment null", longValues: "unset", assigns: true },
  exec: { idle: true, flags: "cl", values: "a", transparent: true },
  fakeroot: {},
  flock: { flags: "snuxeoFv", values: "wE", long: "shared exclusive nonblock", longValues: "timeout", ...TYPED },
  gosu: { operands: 1 },
  gtimeout: { values: "ks", operands: 1 },
  i386: {},
  i686: {},
  ionice: { idle: true, flags: "t", values: "cn", longValues: "class classdata" },
  linux32: {},
  linux64: {},
  ltrace: TRACER,
  nice: { idle: true, flags: "0123456789", values: "n", longValues: "adjustment", transparent: true },
  nohup: TRANSPARENT,
  pkexec: { longValues: "user" },
  proxychains4: { flags: "q", values: "f" },
  runuser: LOGIN,
  script: {
    flags: "aefqt",
    values: "BEIOTom",
    long: "append return flush force quiet",
    ...TYPED,
  },
  setsid: { flags: "cfw", long: "ctty fork wait" },
  sg: TYPED,
  "ssh-agent": { flags: "cDds", values: "aEOPt" },
  stdbuf: { idle: true, values: "ioe", longValues: "input output error", transparent: true },
  strace: TRACER,
  su: LOGIN,
  "su-exec": { operands: 1 },
  sudo: {
    flags: "nEHSkbA",
    values: "ugp",
    long: "non-interactive preserve-env set-home",
    longValues: "user group",
    assigns: true,
  },
  taskset: { idle: true, flags: "ac", long: "all-tasks cpu-list", operands: 1 },
  time: { idle: true, flags: "pv", long: "verbose portability", transparent: true },
  timeout: {
    idle: true,
    flags: "vfp",
    values: "ks",
    long: "verbose foreground preserve-status",
    longValues: "kill-after signal",
    operands: 1,
    transparent: true,
  },
  torsocks: {},
  toybox: {},
  uname26: {},
  unbuffer: { flags: "p" },
  unshare: {
    flags: "imnpuUCTfrc",
    values: "SGRw",
    long: "mount uts ipc net pid user cgroup time fork map-root-user map-current-user mount-proc kill-child",
    elsewhere: true,
  },
  watch: { flags: "bcCdegptxrw", values: "nq", longValues: "interval", joins: true },
  x86_64: {},
  xargs: {
    idle: true,
    flags: "0rtxo",
    values: "nPLIJsdEa",
    long: "null no-run-if-empty verbose",
    // Not `replace`: its value may be left out, and the next word is then the command.
    longValues: "max-args max-procs delimiter arg-file",
  },
};

/** They run other programs in ways that are not read: what they run is unknown. */
export const UNREAD: ReadonlySet<string> = new Set(
  "at batch bind bwrap capsh choom chpst compgen complete cpulimit crontab dc dumb-init ed elvish emacs enable entr ex expect fc firejail gdb lldb m4 machinectl newgrp nsenter nu nvim numactl parallel perf prlimit proot pwsh rlwrap run-parts run0 screen setarch setpriv setuidgid softlimit ssh start-stop-daemon systemd-cat systemd-inhibit systemd-nspawn systemd-run tini tmux valgrind vi vim view vimdiff xonsh xvfb-run".split(
    " ",
  ),
);

const COMPILER = /^-(wrapper|B|specs|fplugin)/;
const NPM = /^(-c|--c(a.*)?(=.*)?|--(script-)?sh.*)$/;

/** With a word like this among their arguments they run something else; a part of a long name may stand for the whole. */
export const RUNS_WITH: Readonly<Record<string, RegExp>> = {
  cc: COMPILER,
  gcc: COMPILER,
  hash: /^-p/,
  install: /^--strip-/,
  less: /^\+/,
  // Rules and values that stand in the line itself; what a file of the project says is not looked at.
  make: /^(-|-[a-zA-Z]*f-|\/dev\/.*|--f.*=(-|\/dev\/.*)|--e.*|-[a-zA-Z]*E.*|[A-Za-z_.]\w*[:+?!]*=(?!\d*$).*)$/s,
  man: /^(-[a-zA-Z]*[PH]|--pager|--html)/,
  mapfile: /^-[a-zA-Z]*C/,
  npm: NPM,
  npx: NPM,
  readarray: /^-[a-zA-Z]*C/,
  rg: /^--(pre|hostname-bin)\b/,
  rsync: /^(-[a-zA-Z]*e|--rsh|--rsync-path)/,
  scp: /^-[a-zA-Z0-9]*[oSD]/,
  sftp: /^-[a-zA-Z0-9]*[oSDb]/,
  sort: /^--co/,
  split: /^--f/,
  sqlite3: /^\s*\.|\n\s*\.|edit\s*\(|load_extension/i,
  tar: /^(--(to-c|checkpoint-|us|rs|rm|inf|new-)|-?[a-zA-Z]*[IF])/,
  wget: /^(-[a-zA-Z]*e|--(use-a|exec))/,
  zip: /^(-[a-zA-Z]*TT|--unzip-command)/,
};

/** They evaluate the subscript of a name that they are given. */
export const EVALUATES_NAMES = new Set(
  "[ declare export getopts local mapfile printf read readarray readonly test typeset unset wait".split(" "),
);

/** Programs whose code is a language of its own, given by an option or read from the input. */
export const INTERPRETERS: Readonly<Record<string, RegExp>> = {
  bun: /^(-[a-z]*[ep]|--eval|--print|eval)/,
  deno: /^eval$/,
  elixir: /^(-e|--eval|--rpc-eval)/,
  erl: /^-eval$/,
  guile: /^-c/,
  julia: /^(-[a-zA-Z]*[eE]|--eval|--print)/,
  lua: /^-[a-z]*e/,
  node: /^(-[a-z]*[pe]|--eval|--print)|^data:|=data:/,
  nodejs: /^(-[a-z]*[pe]|--eval|--print)|^data:|=data:/,
  osascript: /^-e/,
  perl: /^-[a-zA-Z0-9]*[eE]/,
  php: /^-[a-z]*[rBRE]/,
  pypy: /^-[a-zA-Z]*c/,
  python: /^(-[a-zA-Z]*c|(-[a-zA-Z]*m)?(timeit|pdb|code)$)/,
  ruby: /^-[a-zA-Z0-9]*e/,
  tclsh: /^$/,
};
