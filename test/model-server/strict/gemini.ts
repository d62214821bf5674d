// What Google's generateContent refuses, in its words. Stricter in one point: results name the calls they answer.
import { isThoughtSignature } from "../issued.ts";
import { isObjects, type Json, object, objects, string } from "../json.ts";

const namePattern = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;
const wrongName =
  "[FIELD_INVALID]: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.";
const partFields = [
  "text",
  "thought",
  "thoughtSignature",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "videoMetadata",
];

type Content = { role: string; parts: Json[]; calls: Json[]; results: Json[] };

export function* geminiViolations(body: Json, model: string): Generator<string> {
  if (body.contents !== undefined && !isObjects(body.contents))
    yield "Invalid value at 'contents' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content)";
  const contents = objects(body.contents).map(readContent);
  if (contents.length === 0) yield "* GenerateContentRequest.contents: contents is not specified";
  for (const [index, content] of contents.entries()) yield* contentViolations(content, index);
  if (contents[0]?.role === "model")
    yield "Please ensure that multiturn requests alternate between user and model, starting with a user turn.";
  yield* turnViolations(contents);
  if (model.includes("gemini-3")) yield* signatureViolations(contents);
  const system = body.systemInstruction ?? body.system_instruction;
  if (system !== undefined && objects(object(system)?.parts).length === 0)
    yield "Invalid value at 'system_instruction' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content)";
  yield* toolViolations(body);
}

/** Google's JSON accepts snake_case for every name. */
function readContent(content: Json): Content {
  const parts = objects(content.parts).map((part) =>
    Object.fromEntries(
      Object.entries(part).map(([key, value]) => [
        key.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
        value,
      ]),
    ),
  );
  return {
    role: String(content.role ?? "user"),
    parts,
    calls: objects(parts.map((part) => part.functionCall)),
    results: objects(parts.map((part) => part.functionResponse)),
  };
}

function* contentViolations({ role, parts, calls, results }: Content, index: number): Generator<string> {
  const at = `GenerateContentRequest.contents[${index}]`;
  if (role !== "user" && role !== "model") yield "Please use a valid role: user, model.";
  if (parts.length === 0) yield `* ${at}.parts: contents.parts must not be empty.`;
  for (const [n, part] of parts.entries()) {
    const unknown = Object.keys(part).find((key) => !partFields.includes(key));
    if (unknown !== undefined)
      yield `Invalid JSON payload received. Unknown name "${unknown}" at 'contents[${index}].parts[${n}]': Cannot find field.`;
    if (Object.keys(part).every((key) => key.startsWith("thought")))
      yield `* ${at}.parts[${n}].data: required oneof field 'data' must have one initialized field`;
    const signature = string(part.thoughtSignature);
    if (signature !== undefined && !isThoughtSignature(signature)) yield "Corrupted thought signature.";
  }
  for (const call of [...calls, ...results]) {
    if (!namePattern.test(String(call.name))) yield `* ${at}.parts: ${wrongName}`;
  }
  if (calls.some((call) => call.args !== undefined && object(call.args) === undefined))
    yield notStruct(index, "function_call.args");
  if (results.some((result) => object(result.response) === undefined))
    yield notStruct(index, "function_response.response");
}

function notStruct(index: number, field: string): string {
  return `Invalid value at 'contents[${index}].parts[0].${field}' (type.googleapis.com/google.protobuf.Struct)`;
}

function* turnViolations(contents: Content[]): Generator<string> {
  for (const [index, content] of contents.entries()) {
    const previous = contents[index - 1];
    const next = contents[index + 1];
    if (content.calls.length > 0) {
      if (content.role !== "model" || previous?.role !== "user") {
        yield "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
      }
      if (next?.results.length !== content.calls.length) {
        yield "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
      }
      for (const key of ["name", "id"]) {
        const called = content.calls.map((call) => String(call[key])).sort();
        const answered = next?.results
          .map((result) => String(key === "id" && content.calls[0]?.id === undefined ? undefined : result[key]))
          .sort();
        if (called.join() !== answered?.join())
          yield `Please ensure that function responses carry the ${key} of the function calls they answer.`;
      }
    }
    if (content.results.length > 0 && (previous?.calls.length ?? 0) === 0) {
      yield "Please ensure that function response turn comes immediately after a function call turn.";
    }
  }
}

/** Gemini 3 wants the signature back on the first call of every step since the user last spoke. */
function* signatureViolations(contents: Content[]): Generator<string> {
  const spoke = contents.findLastIndex((content) => content.role === "user" && content.results.length === 0);
  for (const content of contents.slice(spoke + 1)) {
    const first = content.parts.find((part) => part.functionCall !== undefined);
    if (first !== undefined && first.thoughtSignature === undefined) {
      yield `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${object(first.functionCall)?.name}\`.`;
    }
  }
}

function* toolViolations(body: Json): Generator<string> {
  const names = new Set<string>();
  for (const [t, tool] of objects(body.tools).entries()) {
    for (const [n, declared] of objects(tool.functionDeclarations ?? tool.function_declarations).entries()) {
      const at = `GenerateContentRequest.tools[${t}].function_declarations[${n}]`;
      const name = String(declared.name);
      if (!namePattern.test(name)) yield `* ${at}.name: ${wrongName}`;
      if (names.has(name)) yield `Duplicate function declaration found: ${name}`;
      names.add(name);
      // The newer field takes any JSON Schema, the older one Google's own kind, which knows no empty object.
      const schema = object(declared.parameters ?? declared.parametersJsonSchema);
      if (schema === undefined) continue;
      if (String(schema.type).toLowerCase() !== "object")
        yield `* ${at}.parameters.type: schema of function parameters must be an OBJECT.`;
      else if (schema === declared.parameters && Object.keys(object(schema.properties) ?? {}).length === 0)
        yield `* ${at}.parameters.properties: should be non-empty for OBJECT type`;
    }
  }
}
