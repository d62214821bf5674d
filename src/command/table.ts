// The table of commands: command line, slash commands, their help and docs/commands.md are made from it.
import { acp } from "./acp.ts";
import { agent, autopilot, background, fleet, hooks, research, skills, tasks } from "./agent.ts";
import { backup } from "./backup.ts";
import { board } from "./board.ts";
import { checkpoints } from "./checkpoints.ts";
import { consent } from "./consent.ts";
import type { Command, SlashCommand } from "./contract.ts";
import { review, rubberDuck, securityReview } from "./delegate.ts";
import { demo } from "./demo.ts";
import { doctor } from "./doctor.ts";
import { exportAll } from "./export.ts";
import { graph } from "./graph.ts";
import { help } from "./help.ts";
import { importHistories } from "./import.ts";
import { inbox } from "./inbox.ts";
import { mcp } from "./mcp.ts";
import { memory } from "./memory.ts";
import { move } from "./move.ts";
import { addDir, allowAll, permissions, plan } from "./permission.ts";
import { pin } from "./pin.ts";
import { promote, promotionList, remember } from "./promote.ts";
import { proxy } from "./proxy.ts";
import { evaluate, recall } from "./recall.ts";
import { rewind, undo } from "./rewind.ts";
import { serve } from "./serve.ts";
import { clear, compact, context, exit, fork, model, rename, session, todos, usage } from "./session.ts";
import { resume, sessions } from "./sessions.ts";
import { settings } from "./settings.ts";
import { subconscious } from "./subconscious.ts";
import { copy, keys, plain, theme } from "./terminal.ts";
import { token } from "./token.ts";
import { trust } from "./trust.ts";
import { wipe } from "./wipe.ts";
import { withAgent } from "./with.ts";

/** In the order in which help lists them. */
export const commands: readonly Command[] = [
  help,
  model,
  sessions,
  resume,
  settings,
  compact,
  checkpoints,
  context,
  usage,
  session,
  rename,
  undo,
  rewind,
  fork,
  exportAll,
  plan,
  todos,
  permissions,
  allowAll,
  addDir,
  trust,
  consent,
  recall,
  importHistories,
  pin,
  evaluate,
  agent,
  tasks,
  background,
  review,
  securityReview,
  rubberDuck,
  research,
  fleet,
  autopilot,
  serve,
  token,
  move,
  demo,
  proxy,
  withAgent,
  mcp,
  acp,
  board,
  subconscious,
  memory,
  graph,
  promote,
  remember,
  promotionList,
  inbox,
  skills,
  hooks,
  doctor,
  backup,
  wipe,
  keys,
  copy,
  theme,
  plain,
  clear,
  exit,
];

export const slashCommands: readonly SlashCommand[] = commands.filter((one): one is SlashCommand => "slash" in one);
export const slashNames = async (): Promise<readonly string[]> => slashCommands.map(({ name }) => name);

/** Those of the command line. */
export const lineCommands: readonly Command[] = commands.filter((one) => one.run ?? one.own ?? one.subcommands);
