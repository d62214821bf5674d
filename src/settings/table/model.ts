// Settings of models and providers: which one, where it is, how it is called.
import { wireNames } from "../../schema/model.ts";
import { OLLAMA_ORIGIN } from "../default.ts";
import { MAX_SECONDS, project, type SettingRow, trusted, user } from "../row.ts";

export const modelRows = [
  trusted.text(
    "model",
    ["EVERLONG_MODEL", "COPILOT_MODEL"],
    undefined,
    "Model to use: offline, openai/…, anthropic/…, google/…, ollama/…, custom/…",
    { flags: ["--model"], short: "-m", argument: "NAME", defaultText: "chosen by what is configured" },
  ),
  user.text(
    "provider.baseUrl",
    ["EVERLONG_BASE_URL", "COPILOT_PROVIDER_BASE_URL"],
    undefined,
    "Base URL of a custom provider",
    { flags: ["--base-url"], argument: "URL" },
  ),
  user.text(
    "provider.apiKey",
    ["EVERLONG_API_KEY", "COPILOT_PROVIDER_API_KEY"],
    undefined,
    "API key for the custom provider",
    { flags: ["--api-key"], argument: "KEY", secret: true },
  ),
  user.choice(
    "provider.wire",
    ["EVERLONG_WIRE", "COPILOT_PROVIDER_WIRE_API", "COPILOT_PROVIDER_TYPE"],
    wireNames,
    undefined,
    "API format of the provider",
    {
      // Copilot CLI names the vendor and the API apart; the vendor alone says nothing about the wire.
      otherNames: { completions: "openai-chat", responses: "openai-responses", openai: "", azure: "" },
      flags: ["--wire"],
      argument: "WIRE",
      defaultText: "openai-chat, or what the catalogue says",
    },
  ),
  user.map(
    "provider.headers",
    ["EVERLONG_HEADERS", "COPILOT_PROVIDER_HEADERS"],
    "Extra request headers; in the environment, one `Name: value` per line",
    { secret: true },
  ),
  user.text("providers.openai.apiKey", "OPENAI_API_KEY", undefined, "OpenAI API key", { secret: true }),
  user.text("providers.openai.baseUrl", "OPENAI_BASE_URL", undefined, "OpenAI base URL", {
    defaultText: "the vendor's own",
  }),
  user.text("providers.anthropic.apiKey", "ANTHROPIC_API_KEY", undefined, "Anthropic API key", { secret: true }),
  user.text("providers.anthropic.baseUrl", "ANTHROPIC_BASE_URL", undefined, "Anthropic base URL", {
    defaultText: "the vendor's own",
  }),
  user.text("providers.google.apiKey", "GEMINI_API_KEY", undefined, "Gemini API key", { secret: true }),
  user.text("providers.google.baseUrl", "GOOGLE_GEMINI_BASE_URL", undefined, "Gemini base URL", {
    defaultText: "the vendor's own",
  }),
  user.text("providers.ollama.apiKey", [], undefined, "API key for an Ollama behind a gateway", { secret: true }),
  user.text("providers.ollama.baseUrl", "OLLAMA_HOST", OLLAMA_ORIGIN, "Ollama address; scheme and port are optional"),
  project.integer("limits.maxPromptTokens", "EVERLONG_MAX_PROMPT_TOKENS", undefined, "Maximum tokens in a prompt", {
    min: 1,
    defaultText: "the catalogue's",
  }),
  project.integer("limits.maxOutputTokens", "EVERLONG_MAX_OUTPUT_TOKENS", undefined, "Maximum tokens in an answer", {
    min: 1,
    defaultText: "the catalogue's",
  }),
  project.choice(
    "reasoningEffort",
    "EVERLONG_REASONING_EFFORT",
    ["low", "medium", "high"],
    undefined,
    "How long the model thinks: low, medium, high",
    { defaultText: "the provider's" },
  ),
  user.toggle("offline", "EVERLONG_OFFLINE", false, "Only connect to this machine"),
  project.integer("retry.max", "EVERLONG_RETRY_MAX", 5, "How often to retry a failed model call", { max: 1000 }),
  project.integer("retry.baseMs", "EVERLONG_RETRY_BASE_MS", 1000, "Milliseconds to wait before the first retry", {
    max: MAX_SECONDS * 1000,
  }),
  project.seconds("retry.maxWaitSeconds", "EVERLONG_RETRY_MAX_WAIT", 180, "Longest Retry-After to honour, in seconds"),
] as const satisfies readonly SettingRow[];
