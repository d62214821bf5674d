// The dashboard's files: public, without data, compressed, cached by the hash in their names; and a plain page while they are missing.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { errorCode } from "../base/failure.ts";
import { SECURITY_HEADERS } from "./respond.ts";

const CSP = "default-src 'self'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  json: "application/json; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  png: "image/png",
  ico: "image/x-icon",
  woff2: "font/woff2",
};
const PACKED = new Set(["html", "js", "css", "svg", "json", "txt"]);

type PageFile = {
  bytes: Buffer;
  type: string;
  etag: string;
  isHashed: boolean;
  packed: Map<Encoding, Promise<Buffer>>;
};
type Encoding = "br" | "gzip";

/** What `/` serves. Files are read when one is first asked for: a gateway that nobody looks at pays nothing. */
export class DashboardPage {
  readonly #folder: string;
  #files: ReadonlyMap<string, PageFile> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** `path` as received; only names that are in the folder are known, so nothing is ever looked up on disk by them. */
  has(path: string): boolean {
    return path === "/" || this.#known().has(path);
  }

  async answer(req: IncomingMessage, res: ServerResponse, path: string): Promise<void> {
    const file = this.#known().get(path === "/" ? "/index.html" : path) ?? MISSING;
    const encoding = PACKED.has(path.split(".").at(-1) ?? "") || path === "/" ? acceptedBy(req) : undefined;
    const headers = {
      ...SECURITY_HEADERS,
      "content-type": file.type,
      "content-security-policy": CSP,
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": file.isHashed ? "public, max-age=31536000, immutable" : "no-cache",
      vary: "accept-encoding",
      etag: file.etag,
    };
    if (req.headers["if-none-match"] === file.etag) return void res.writeHead(304, headers).end();
    const bytes = encoding ? await packed(file, encoding) : file.bytes;
    res.writeHead(200, {
      ...headers,
      ...(encoding ? { "content-encoding": encoding } : {}),
      "content-length": bytes.length,
    });
    res.end(req.method === "HEAD" ? undefined : bytes);
  }

  /** A folder without a page is looked at again: it may be built while the gateway runs. */
  #known(): ReadonlyMap<string, PageFile> {
    if (!this.#files?.has("/index.html")) this.#files = readFiles(this.#folder);
    return this.#files;
  }
}

function readFiles(folder: string): ReadonlyMap<string, PageFile> {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = entries.map((entry) => join(entry.parentPath, entry.name));
    return new Map(
      paths.map((path) => {
        const name = `/${relative(folder, path).split(sep).join("/")}`;
        return [name, fileOf(name, readFileSync(path))];
      }),
    );
  } catch (error) {
    if (errorCode(error) === "ENOENT") return new Map();
    throw error;
  }
}

const fileOf = (name: string, bytes: Buffer): PageFile => ({
  bytes,
  type: TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
  etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
  isHashed: name.startsWith("/assets/"),
  packed: new Map(),
});

function acceptedBy(req: IncomingMessage): Encoding | undefined {
  const accepted = String(req.headers["accept-encoding"] ?? "")
    .split(",")
    .flatMap((part) => (/;\s*q=0(\.0*)?\s*$/.test(part) ? [] : [part.split(";")[0]?.trim()]));
  return (["br", "gzip"] as const).find((encoding) => accepted.includes(encoding));
}

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** Each file is compressed once. */
function packed(file: PageFile, encoding: Encoding): Promise<Buffer> {
  const ready = file.packed.get(encoding);
  if (ready) return ready;
  const options = encoding === "br" ? { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } } : { level: 9 };
  const bytes = compress[encoding](file.bytes, options);
  file.packed.set(encoding, bytes);
  return bytes;
}

const MISSING = fileOf(
  "missing.txt",
  Buffer.from(`This is an Everlong gateway, and it works. Its dashboard is not built.

From a clone: npm run build, then reload this page.
Until then look with: everlong proxy sessions, everlong proxy why, everlong memory.
Model calls go to /v1 (OpenAI, Anthropic) and /v1beta (Gemini); \`everlong with AGENT\` sets an agent up.
`),
);
