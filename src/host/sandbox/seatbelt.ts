// Confinement on macOS: a profile for sandbox-exec. Written from its documentation and not tried on a Mac by this project.
import { type Confinement, type Prefix, realPlaces } from "./confinement.ts";

const SYSTEM =
  "/usr /bin /sbin /System /Library/Developer /Library/Apple /opt/homebrew /private/etc /private/var/db/timezone".split(
    " ",
  );
const DEVICES = "/dev/null /dev/zero /dev/random /dev/urandom /dev/tty".split(" ");

export function seatbelt(program: string, confinement: Confinement): Prefix {
  const rules = confinement.type === "look" ? lookRules(confinement) : workRules(confinement);
  return [program, "-p", ["(version 1)", ...rules].join("\n"), "--"];
}

function lookRules({ reads, hidden }: Extract<Confinement, { type: "look" }>): string[] {
  const shown = realPlaces(reads);
  const masks = realPlaces(hidden).filter((path) => !shown.includes(path));
  // The last rule that fits decides.
  const inner = shown.filter((path) => masks.some((mask) => path.startsWith(`${mask}/`)));
  return [
    "(deny default)",
    "(allow process-fork process-exec sysctl-read)",
    "(allow signal process-info* (target same-sandbox))",
    "(allow file-read-metadata)",
    `(allow file-read* (literal "/") ${subpaths([...SYSTEM, ...shown])} ${literals(DEVICES)})`,
    `(allow file-write-data file-ioctl ${literals(DEVICES)})`,
    ...(masks.length > 0 ? [`(deny file-read* ${subpaths(masks)})`] : []),
    ...(inner.length > 0 ? [`(allow file-read* ${subpaths(inner)})`] : []),
  ];
}

function workRules({ writes, network, hidden }: Extract<Confinement, { type: "work" }>): string[] {
  return [
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write* ${subpaths(realPlaces(writes))} (subpath "/dev"))`,
    ...(hidden.length > 0 ? [`(deny file-read* ${subpaths(realPlaces(hidden))})`] : []),
    ...(network ? [] : ["(deny network*)"]),
  ];
}

const subpaths = (paths: readonly string[]): string => paths.map((path) => `(subpath ${quoted(path)})`).join(" ");
const literals = (paths: readonly string[]): string => paths.map((path) => `(literal ${quoted(path)})`).join(" ");
const quoted = (text: string): string => `"${text.replace(/[\\"]/g, "\\$&")}"`;
