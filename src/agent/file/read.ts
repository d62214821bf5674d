// Reads one definition file: bounded, trusted where it must be, split into its fields and its text. Never throws.
import { errorText } from "../../base/failure.ts";
import { isRecord, isTooDeep, MAX_NESTING, parseJson } from "../../base/json.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { stripInvisible } from "../../base/text.ts";
import { decodeUtf8, readWhole, realTarget } from "../../host/files.ts";
import { acceptsFile, type TrustState } from "../../permission/trust.ts";
import type { Layer } from "./places.ts";
import type { FileWarning } from "./warning.ts";

export type Document = { fields: Record<string, unknown>; body: string };

/** Without a document and without a warning: withheld until the folder is trusted, of which a notice tells the user. */
type ReadDocument = { document?: Document; warnings: FileWarning[] };

const MAX_BYTES = 1024 * 1024;
const FRONTMATTER = /^---[ \t]*\r?\n([\s\S]*?)(?<=\n)---[ \t]*(?:\r?\n|$)/;

export async function readDocument(file: { path: string; layer: Layer }, trust: TrustState): Promise<ReadDocument> {
  const { path, layer } = file;
  if (layer === "project" && !trust.trusted) return { warnings: [] };
  const real = realTarget(path);
  const read = readWhole(real, MAX_BYTES);
  if (!read.ok) return broken(path, read.error.message);
  const { bytes } = read.value;
  // By the name it was found under, or, through a link, by that of a file which is trusted itself.
  const isAccepted = acceptsFile(trust, path, bytes) || acceptsFile(trust, real, bytes);
  if (layer === "project" && !isAccepted) {
    const isWithheld = real === path || trust.files.some((one) => one.path === path);
    return isWithheld
      ? { warnings: [] }
      : broken(path, `it leads to ${real}, which trust in this folder does not cover.`);
  }
  const text = decodeUtf8(bytes);
  return text === undefined ? broken(path, "the file is not UTF-8.") : parseDocument(path, stripInvisible(text).text);
}

/** A file without frontmatter has no fields. */
async function parseDocument(path: string, text: string): Promise<ReadDocument> {
  const match = FRONTMATTER.exec(text);
  if (!match) {
    if (/^---[ \t]*\r?\n/.test(text))
      return broken(path, "the frontmatter is not closed by a line ---.", "frontmatter");
    return { document: { fields: {}, body: text.trim() }, warnings: [] };
  }
  const fields = await parseYaml(match[1] ?? "");
  if (!fields.ok) return broken(path, fields.error, "frontmatter");
  return { document: { fields: fields.value, body: text.slice(match[0].length).trim() }, warnings: [] };
}

/** A YAML text that must hold a map; what comes back is plain JSON. */
export async function parseYaml(text: string): Promise<Result<Record<string, unknown>, string>> {
  // The build has made our own files into JSON, which every YAML reader takes too: a start need not load one for them.
  const json = text.startsWith("{") ? parseJson(text) : undefined;
  if (json?.ok) return fieldsOf(json.value);
  const { parse } = await import("yaml");
  const read = (yaml: string): unknown =>
    JSON.parse(JSON.stringify(parse(yaml, { maxAliasCount: 20, logLevel: "error" }) ?? {}));
  let value: unknown;
  try {
    value = read(text);
  } catch (error) {
    try {
      value = read(quoteColons(text));
    } catch {
      return fail(`not YAML: ${errorText(error).split("\n")[0]}`);
    }
  }
  return fieldsOf(value);
}

function fieldsOf(value: unknown): Result<Record<string, unknown>, string> {
  if (isTooDeep(value)) return fail(`it is nested deeper than ${MAX_NESTING} levels.`);
  return isRecord(value) ? ok(value) : fail("expected fields and their values.");
}

/** Files of other agents often have a colon in a text without quotes, which YAML refuses. */
const quoteColons = (yaml: string): string =>
  yaml.replace(/^([A-Za-z][\w-]*):[ \t]+([^\s"'[{|>&*!#].*:\s.*)$/gm, (_line, key: string, text: string) => {
    return `${key}: ${JSON.stringify(text.trim())}`;
  });

const broken = (path: string, message: string, field?: string): ReadDocument => ({
  warnings: [{ path, message, skipped: true, ...(field === undefined ? {} : { field }) }],
});
