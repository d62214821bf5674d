// Settings of the graph of facts, and of the Graphiti server that it may be shared with.
import { type SettingRow, switchable, user } from "../row.ts";

const key = <const Name extends string>(name: Name) => `memory.graphiti.${name}` as const;
const variable = (name: string): string =>
  `EVERLONG_GRAPHITI_${name.replace(/[A-Z]/g, "_$&").replaceAll(".", "_").toUpperCase()}`;
/** The name that the setting has in Copilot Chat. */
const alias = (name: string) => ({ aliases: [`github.copilot.chat.memory.graphiti.${name}`] });

/** Off until somebody asks for it; a project can only take it back. */
const share = <const Name extends string>(name: Name, help: string) =>
  switchable.toggle(key(name), variable(name), false, help, { ...alias(name), unreadable: "off" });
const limit = <const Name extends string>(
  name: Name,
  fallback: number,
  range: { min: number; max: number },
  help: string,
) => user.integer(key(name), variable(name), fallback, help, { ...alias(name), ...range });
const text = <const Name extends string>(name: Name, help: string, more: { secret?: true } = {}) =>
  user.text(key(name), variable(name), undefined, help, { ...alias(name), ...more });

export const graphRows = [
  switchable.toggle(
    "graph.enabled",
    "EVERLONG_GRAPH",
    true,
    "Learn facts from conversations, and when they were true",
    {
      unreadable: "off",
    },
  ),
  user.choice(
    "graph.extractor",
    "EVERLONG_GRAPH_EXTRACTOR",
    ["rules", "llm", "off"],
    "rules",
    "What extracts facts from text: built-in rules, a model, or nothing",
  ),
  user.text("graph.model", "EVERLONG_GRAPH_MODEL", undefined, "Model that finds facts, with graph.extractor llm", {
    defaultText: "the session's",
  }),
  user.integer("graph.batch", "EVERLONG_GRAPH_BATCH", 8, "Maximum messages the model reads at once", {
    min: 1,
    max: 8,
  }),
  switchable.toggle(
    "graph.communities",
    "EVERLONG_GRAPH_COMMUNITIES",
    false,
    "Show with each entity what it belongs to; `everlong graph communities` lists all",
  ),
  share("enabled", "Share conversations with a Graphiti server, after you consent"),
  text("endpoint", "URL of the Graphiti server, or `embedded` for the built-in graph"),
  text("token", "Token for the Graphiti server", { secret: true }),
  text("userId", "Your id in the Graphiti server"),
  limit("timeoutMs", 5000, { min: 250, max: 60_000 }, "Timeout for the Graphiti server, in milliseconds"),
  limit("maxBatchSize", 20, { min: 1, max: 1000 }, "Maximum messages per request"),
  limit("maxQueueSize", 200, { min: 1, max: 100_000 }, "Maximum messages waiting to be sent"),
  limit("maxMessageChars", 4000, { min: 256, max: 1_000_000 }, "Maximum characters per message"),
  limit("maxAttempts", 8, { min: 1, max: 100 }, "Attempts before messages are set aside"),
  user.choice(
    key("scopes"),
    variable("scopes"),
    ["session", "workspace", "both"],
    "both",
    "Which groups a turn is sent to",
    alias("scopes"),
  ),
  user.choice(
    key("groupIdStrategy"),
    variable("groupIdStrategy"),
    ["hashed", "raw", "seed"],
    "hashed",
    "How group ids are made: hashed, readable, or as Copilot Chat makes them",
    alias("groupIdStrategy"),
  ),
  share("includeSystemMessages", "Send who owns a group before its first message"),
  share("includeGitMetadata", "Send branch, commit and whether files have changed"),
  share("autoPromote.enabled", "Keep lines such as `preference: …` in your messages for later sessions"),
  share("recall.enabled", "Show the model facts from the Graphiti server"),
  limit("recall.timeoutMs", 750, { min: 100, max: 60_000 }, "Time limit for these facts, in milliseconds"),
  limit("recall.maxFacts", 10, { min: 1, max: 50 }, "Maximum facts shown"),
  limit("recall.maxChars", 4000, { min: 100, max: 100_000 }, "Maximum characters of facts shown"),
  share("recall.includeExpired", "Also show facts that have ended, marked as ended"),
  user.choice(
    key("recall.scopes"),
    variable("recall.scopes"),
    ["session", "workspace", "both", "auto", "all"],
    "both",
    "Which groups are searched for facts",
    alias("recall.scopes"),
  ),
] as const satisfies readonly SettingRow[];
