// Whether a request asks for its answer in a fixed shape, on every wire.
import { isRecord } from "../../base/json.ts";
import type { ScannedBody } from "../contract.ts";

const SCHEMAS = ["responseSchema", "response_schema", "responseJsonSchema", "response_json_schema"];
const TYPES = ["responseMimeType", "response_mime_type"];

export function wantsShape({ value, wire }: Pick<ScannedBody, "value" | "wire">): boolean {
  switch (wire) {
    case "gemini": {
      const config = value["generationConfig"] ?? value["generation_config"];
      if (!isRecord(config)) return false;
      return SCHEMAS.some((key) => isRecord(config[key])) || TYPES.some((key) => config[key] === "application/json");
    }
    case "openai-chat":
      return isJson(value["response_format"]);
    case "openai-responses":
      return isRecord(value["text"]) && isJson(value["text"]["format"]);
    case "anthropic":
      return (
        isJson(value["output_format"]) || (isRecord(value["output_config"]) && isJson(value["output_config"]["format"]))
      );
  }
}

const isJson = (format: unknown): boolean => isRecord(format) && /^json/.test(String(format["type"]));
