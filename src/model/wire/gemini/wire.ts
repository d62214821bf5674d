// Gemini's generateContent: the model stands in the path, and calls often have no ids.
import { isRecord } from "../../../base/json.ts";
import type { Wire, WireBody } from "../contract.ts";
import { listAt, recordsIn, stringAt } from "../item.ts";
import { modelInBody, numberAt, toolName } from "../request.ts";
import { geminiAnswer, geminiError } from "./answer.ts";
import { geminiHistory } from "./history.ts";
import { geminiVendor } from "./vendor.ts";

const SCHEMAS = ["responseSchema", "response_schema", "responseJsonSchema", "response_json_schema"];
const TYPES = ["responseMimeType", "response_mime_type"];

export const gemini: Wire = {
  name: "gemini",
  prefix: "/v1beta",
  logName: "dropped_gemini",
  vendor: geminiVendor,
  history: geminiHistory,
  message: {
    holder: "parts",
    mayTake: ({ role }) => role === undefined || role === "user" || role === "function",
    textPart: (literal) => `{"text":${literal}}`,
    isResult: (part) => isRecord(part) && isRecord(part["functionResponse"]),
    joined: '{"role":"user","parts":[',
    resultsOfUsers: true,
  },
  request: {
    task(rest) {
      const method = /:(generateContent|streamGenerateContent|countTokens)$/.exec(rest)?.[1];
      return method === undefined ? undefined : method === "countTokens" ? "count" : "generate";
    },
    model: (body, path) => modelInBody(body) || (/\/models\/([^/:?]+)(?::|$)/.exec(path)?.[1] ?? ""),
    system: (body) => body["systemInstruction"] ?? body["system_instruction"],
    tools: (body) => listAt(body, "tools"),
    toolNames: (body) => listAt(body, "tools").flatMap(toolNames),
    forbidsTools(body) {
      const config = body["toolConfig"] ?? body["tool_config"];
      const calling = isRecord(config) ? (config["functionCallingConfig"] ?? config["function_calling_config"]) : {};
      return isRecord(calling) && String(calling["mode"]).toLowerCase() === "none";
    },
    wantsShape(body) {
      const config = configOf(body);
      return SCHEMAS.some((key) => isRecord(config[key])) || TYPES.some((key) => config[key] === "application/json");
    },
    maxOutput: (body) => numberAt(configOf(body), "maxOutputTokens", "max_output_tokens"),
  },
  answer: geminiAnswer,
  error: geminiError,
  prompt: { maxCallIdChars: 64, inTurns: true },
  call: {
    load: async () => (await import("./provider.ts")).geminiModel,
    providerOptions: ({ entry }) =>
      entry.supports.reasoning ? { google: { thinkingConfig: { includeThoughts: true } } } : {},
  },
};

function configOf(body: WireBody): WireBody {
  const config = body["generationConfig"] ?? body["generation_config"];
  return isRecord(config) ? config : {};
}

/** A tool holds declarations; the server's own tools have no name but their field. */
function toolNames(tool: unknown): string[] {
  const declarations = isRecord(tool) ? (tool["functionDeclarations"] ?? tool["function_declarations"]) : undefined;
  if (!Array.isArray(declarations)) return toolName(tool);
  return recordsIn(declarations).flatMap((declaration) => stringAt(declaration, "name") ?? []);
}
