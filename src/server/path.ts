// The one reading of a request's target; what two parsers could read differently is refused.
import { runInPath } from "../proxy/identify/run.ts";
import { GRAPHITI, type RequestTarget } from "./contract.ts";

/** Undefined: an empty, `.` or `..` segment, a backslash or a NUL, raw or once decoded; or no path at all. */
export function readTarget(url: string | undefined): RequestTarget | undefined {
  if (url === undefined || !url.startsWith("/") || url.includes("#")) return undefined;
  const question = url.indexOf("?");
  const path = question === -1 ? url : url.slice(0, question);
  const segments = path === "/" ? [] : path.slice(1).split("/");
  // Graphiti's server leads such a path to the one without the slash.
  const hasSlash = segments[0] === GRAPHITI && segments.length > 2 && segments.at(-1) === "";
  if (hasSlash) segments.pop();
  if (!segments.every(isPlain)) return segments[0] === GRAPHITI ? NOWHERE : undefined;
  const search = question === -1 ? "" : url.slice(question);
  const run = runInPath(segments);
  if (!run) return { path, search, segments, ...(hasSlash ? { hasSlash: true } : {}) };
  return { path: `/${run.segments.join("/")}`, search, segments: run.segments, run: run.token };
}

/** Under Graphiti's address nothing but its own routes is there, and whoever asks for something else is told so in its words. */
const NOWHERE: RequestTarget = { path: `/${GRAPHITI}`, search: "", segments: [GRAPHITI] };

/** An encoded slash is an ordinary character, unless a `..` beside it would make sense to someone who decodes it. */
function isPlain(segment: string): boolean {
  const decoded = segment.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  if (decoded === "" || /[\\\0]/.test(decoded)) return false;
  return !decoded.split("/").some((part) => part === "." || part === "..");
}
