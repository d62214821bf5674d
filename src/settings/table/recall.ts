// Settings of recall: whether and how long it searches, and who makes vectors of texts.
import { OLLAMA_ORIGIN, RECALL_LIMIT } from "../default.ts";
import { project, type SettingRow, switchable, trusted, user } from "../row.ts";

export const recallRows = [
  switchable.toggle(
    "memory.enabled",
    "EVERLONG_MEMORY",
    true,
    "Carry memories from one session to the next; a session's own history always stays searchable",
    { unreadable: "off" },
  ),
  project.toggle("recall.enabled", "EVERLONG_RECALL", true, "Make conversations searchable and offer the recall tool"),
  project.integer(
    "recall.timeoutMs",
    "EVERLONG_RECALL_TIMEOUT_MS",
    750,
    "Time limit for a search, in milliseconds; you get what was found by then",
    { min: 100, max: 60_000 },
  ),
  project.integer("recall.limit", "EVERLONG_RECALL_LIMIT", RECALL_LIMIT, "Maximum search results", {
    min: 1,
    max: 100,
  }),
  project.toggle(
    "recall.auto",
    "EVERLONG_RECALL_AUTO",
    false,
    "Search before every message and show the model what fits",
  ),
  project.toggle(
    "recall.pins.auto",
    "EVERLONG_RECALL_PINS_AUTO",
    true,
    "Pin lasting instructions you type (always, never, from now on) for the rest of the session",
  ),
  user.integer(
    "recall.maxPostings",
    "EVERLONG_RECALL_MAX_POSTINGS",
    20_000,
    "Words in more passages than this only help to rank, not to find",
    { min: 100 },
  ),
  trusted.choice(
    "recall.embedder",
    ["EVERLONG_EMBEDDER", "EVERLONG_PROXY_SEMANTIC_EMBEDDER"],
    ["auto", "none", "static", "ollama", "openai"],
    "auto",
    "Embeddings: auto (Ollama on this machine, else static), none, static, ollama, openai",
    { aliases: ["proxy.semantic.embedder"] },
  ),
  project.toggle(
    "recall.semantic.enabled",
    ["EVERLONG_SEMANTIC_ENABLED", "EVERLONG_PROXY_SEMANTIC_ENABLED", "CLIPROXY_SEMANTIC_ENABLED"],
    true,
    "Search by meaning too, if embeddings are available",
    { aliases: ["proxy.semantic.enabled"] },
  ),
  trusted.text(
    "recall.semantic.model",
    ["EVERLONG_SEMANTIC_MODEL", "EVERLONG_PROXY_SEMANTIC_MODEL", "CLIPROXY_SEMANTIC_MODEL"],
    "embeddinggemma",
    "Ollama model for embeddings",
    { aliases: ["proxy.semantic.model"] },
  ),
  trusted.text(
    "recall.semantic.baseUrl",
    ["EVERLONG_SEMANTIC_BASE_URL", "EVERLONG_PROXY_SEMANTIC_BASE_URL", "CLIPROXY_SEMANTIC_BASE_URL"],
    OLLAMA_ORIGIN,
    "Ollama address for embeddings",
    { aliases: ["proxy.semantic.baseUrl"] },
  ),
  project.integer(
    "recall.semantic.maxSnips",
    ["EVERLONG_SEMANTIC_MAX_SNIPS", "EVERLONG_PROXY_SEMANTIC_MAX_SNIPS", "CLIPROXY_SEMANTIC_MAX_SNIPS"],
    4,
    "Maximum snippets added to a request by meaning search",
    { max: 20, aliases: ["proxy.semantic.maxSnips"] },
  ),
  project.integer(
    "recall.semantic.maxChars",
    ["EVERLONG_SEMANTIC_MAX_CHARS", "EVERLONG_PROXY_SEMANTIC_MAX_CHARS", "CLIPROXY_SEMANTIC_MAX_CHARS"],
    3000,
    "Maximum characters for these snippets together",
    { max: 20_000, aliases: ["proxy.semantic.maxChars"] },
  ),
  trusted.text(
    "recall.openai.baseUrl",
    "EVERLONG_EMBED_BASE_URL",
    undefined,
    "Base URL of an OpenAI-compatible embeddings API",
  ),
  user.text("recall.openai.apiKey", "EVERLONG_EMBED_API_KEY", undefined, "API key for that embeddings API", {
    secret: true,
  }),
  trusted.text("recall.openai.model", "EVERLONG_EMBED_MODEL", undefined, "Model for that embeddings API"),
  user.text("recall.static.dir", "EVERLONG_STATIC_MODEL", undefined, "Folder with the static word vectors", {
    defaultText: "models/static in the home",
  }),
  user.choice("recall.vectorFormat", [], ["int8", "f32"], "int8", "How embeddings are stored: int8, f32"),
] as const satisfies readonly SettingRow[];
