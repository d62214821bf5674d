// A launch plan as shell lines that can be run by hand, or as JSON; keys stay where they are.
import { dirname } from "node:path";
import { maskedForm, maskIn } from "../../base/text.ts";
import { quoted } from "./quoted.ts";
import type { LaunchEnvironment, Plan, Upstream } from "./row.ts";

type PrintedPlan = {
  plan: Plan;
  upstreams: readonly Upstream[];
  /** The user's own: a key that is passed on is named by its variable. */
  env: LaunchEnvironment;
  /** A gateway listens already. */
  isRunning: boolean;
};

/** Lines that do by hand what a run does by itself, but for the run's token. */
export function shellLines({ plan, upstreams, env, isRunning }: PrintedPlan): string {
  const { command, args, files, notes } = masked(plan);
  const folders = [...new Set(files.map(({ path }) => dirname(path)))];
  const lines = [
    ...(isRunning ? [] : ["# Start the gateway first: everlong serve"]),
    `# It forwards to: ${upstreams.map(({ name, url }) => `${name} ${url}`).join(", ")}`,
    ...(upstreams.some(({ key }) => key) ? [OWN_KEYS] : []),
    ...notes.map((note) => `# ${note}`),
    ...folders.map((folder) => `mkdir -p -m 700 ${quoted(folder)}`),
    ...files.map(({ path, mode, text, shell }) => {
      const name = quoted(path);
      const write = shell === undefined ? `cat > ${name} <<'EVERLONG'\n${text}EVERLONG\n` : `${shell} > ${name}`;
      return `(umask 077; ${write}); chmod ${mode.toString(8)} ${name}`;
    }),
    ...Object.entries(plan.env).map(([name, value]) => `export ${name}=${shellValue(name, value, plan, env)}`),
    [command, ...args].map(quoted).join(" "),
  ];
  return `${lines.join("\n")}\n`;
}

const OWN_KEYS = "# The gateway's own keys are used only for runs that `everlong with` starts: set your own.";

export function planJson(
  agent: string,
  { plan, upstreams }: Pick<PrintedPlan, "plan" | "upstreams">,
): Record<string, unknown> {
  const { secrets: _secrets, files, ...shown } = masked(plan);
  return {
    ...{ agent, ...shown, upstreams: upstreams.map(({ name, url }) => ({ name, url })) },
    files: files.map(({ path, mode, text }) => ({ path, mode: mode.toString(8), text })),
  };
}

/** A key of the user's is written as the variable that holds it. */
function shellValue(name: string, value: string, { secrets }: Plan, env: LaunchEnvironment): string {
  if (!secrets.includes(value)) return quoted(secrets.reduce(hidden, value));
  const source = Object.keys(env).find((other) => other !== name && env[other]?.trim() === value);
  return source === undefined ? quoted(hidden(value, value)) : `"$${source}"`;
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
  // In JSON a secret stands with its escapes.
  return maskIn(text, secret).replaceAll(JSON.stringify(secret).slice(1, -1), () => maskedForm(secret));
}
