// A launch plan as shell lines or as JSON, with every key masked.
import { dirname } from "node:path";
import type { Plan } from "./row.ts";

/** Lines that do by hand what a run does by itself, once the masked keys are put in. */
export function shellLines(plan: Plan): string {
  const { command, args, env, files, notes } = masked(plan);
  const folders = [...new Set(files.map(({ path }) => dirname(path)))];
  const lines = [
    ...notes.map((note) => `# ${note}`),
    ...folders.map((folder) => `mkdir -p -m 700 ${quoted(folder)}`),
    ...files.map(({ path, mode, text }) => {
      const name = quoted(path);
      return `(umask 077; cat > ${name} <<'EVERLONG'\n${text}EVERLONG\n); chmod ${mode.toString(8)} ${name}`;
    }),
    ...Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}`),
    [command, ...args].map(quoted).join(" "),
  ];
  return `${lines.join("\n")}\n`;
}

export function planJson(agent: string, plan: Plan): Record<string, unknown> {
  const { secrets: _, ...shown } = masked(plan);
  return { agent, ...shown, files: shown.files.map((file) => ({ ...file, mode: file.mode.toString(8) })) };
}

function masked(plan: Plan): Plan {
  const hide = (text: string): string => plan.secrets.reduce(hidden, text);
  return {
    ...plan,
    args: plan.args.map(hide),
    env: Object.fromEntries(Object.entries(plan.env).map(([name, value]) => [name, hide(value)])),
    files: plan.files.map((file) => ({ ...file, text: hide(file.text) })),
  };
}

function hidden(text: string, secret: string): string {
  if (secret === "") return text;
  const short = secret.length >= 12 ? `…${secret.slice(-4)}` : "…";
  // In JSON a secret stands with its escapes.
  return text.replaceAll(secret, short).replaceAll(JSON.stringify(secret).slice(1, -1), short);
}

const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
