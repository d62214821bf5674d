// Settings of the graph of facts, and of the Graphiti server that it may be shared with.
import type { SettingRow } from "../row.ts";

/** The names that the settings of Copilot Chat's integration have. */
const graphiti = <const Name extends string>(name: Name) =>
  ({
    key: `memory.graphiti.${name}`,
    aliases: [`github.copilot.chat.memory.graphiti.${name}`],
    env: [
      `EVERLONG_GRAPHITI_${name
        .replace(/[A-Z]/g, (letter) => `_${letter}`)
        .replaceAll(".", "_")
        .toUpperCase()}`,
    ],
  }) as const;
const milliseconds = (min: number) => ({ type: "integer", min, max: 60_000, scope: "user" }) as const;
const count = (min: number, max = 100_000) => ({ type: "integer", min, max, scope: "user" }) as const;
const shares = { type: "boolean", default: false, scope: "off", unreadable: "off" } as const;

export const graphRows = [
  {
    key: "graph.enabled",
    type: "boolean",
    env: ["EVERLONG_GRAPH"],
    default: true,
    scope: "off",
    unreadable: "off",
    help: "Learn facts from conversations, with the time at which they held",
  },
  {
    key: "graph.extractor",
    type: "enum",
    values: ["rules", "llm", "off"],
    env: ["EVERLONG_GRAPH_EXTRACTOR"],
    default: "rules",
    scope: "user",
    help: "Who finds facts in text: built-in rules, a model, or nobody",
  },
  {
    key: "graph.model",
    type: "string",
    env: ["EVERLONG_GRAPH_MODEL"],
    default: undefined,
    defaultText: "the session's",
    scope: "user",
    help: "Model that finds facts, with graph.extractor llm",
  },
  {
    ...count(1, 8),
    key: "graph.batch",
    env: ["EVERLONG_GRAPH_BATCH"],
    default: 8,
    help: "Maximum messages a model reads at once",
  },
  {
    key: "graph.communities",
    type: "boolean",
    env: ["EVERLONG_GRAPH_COMMUNITIES"],
    default: false,
    scope: "off",
    help: "Group related entities; rebuild with `everlong graph communities`",
  },
  { ...graphiti("enabled"), ...shares, help: "Share conversations with a Graphiti server, after you consent" },
  {
    ...graphiti("endpoint"),
    type: "string",
    default: undefined,
    scope: "user",
    help: "URL of the Graphiti server, or `embedded` for the built-in graph",
  },
  {
    ...graphiti("token"),
    type: "string",
    default: undefined,
    scope: "user",
    secret: true,
    help: "Token for the Graphiti server",
  },
  { ...graphiti("userId"), type: "string", default: undefined, scope: "user", help: "Your id in the Graphiti server" },
  {
    ...graphiti("timeoutMs"),
    ...milliseconds(250),
    default: 5000,
    help: "Timeout for the Graphiti server, in milliseconds",
  },
  { ...graphiti("maxBatchSize"), ...count(1, 1000), default: 20, help: "Maximum messages per request" },
  { ...graphiti("maxQueueSize"), ...count(1), default: 200, help: "Maximum messages that wait to be sent" },
  { ...graphiti("maxMessageChars"), ...count(256, 1_000_000), default: 4000, help: "Maximum characters per message" },
  { ...graphiti("maxAttempts"), ...count(1, 100), default: 8, help: "Attempts before messages are set aside" },
  {
    ...graphiti("scopes"),
    type: "enum",
    values: ["session", "workspace", "both"],
    default: "both",
    scope: "user",
    help: "Which groups a turn goes to",
  },
  {
    ...graphiti("groupIdStrategy"),
    type: "enum",
    values: ["hashed", "raw", "seed"],
    default: "hashed",
    scope: "user",
    help: "How group ids are made: hashed, readable, or as Copilot Chat makes them",
  },
  { ...graphiti("includeSystemMessages"), ...shares, help: "Send who owns a group with its first message" },
  { ...graphiti("includeGitMetadata"), ...shares, help: "Send branch, commit and whether files are changed" },
  {
    ...graphiti("autoPromote.enabled"),
    ...shares,
    help: "Keep lines such as `preference: …` in your messages for later sessions",
  },
  { ...graphiti("recall.enabled"), ...shares, help: "Show the model facts from the Graphiti server" },
  {
    ...graphiti("recall.timeoutMs"),
    ...milliseconds(100),
    default: 750,
    help: "Time limit for those facts, in milliseconds",
  },
  { ...graphiti("recall.maxFacts"), ...count(1, 50), default: 10, help: "Maximum facts shown" },
  { ...graphiti("recall.maxChars"), ...count(100, 100_000), default: 4000, help: "Maximum characters of facts shown" },
  { ...graphiti("recall.includeExpired"), ...shares, help: "Also show facts that have ended, marked as such" },
  {
    ...graphiti("recall.scopes"),
    type: "enum",
    values: ["session", "workspace", "both", "auto", "all"],
    default: "both",
    scope: "user",
    help: "Which groups are asked",
  },
] as const satisfies readonly SettingRow[];
