// Confinement on Linux: bubblewrap builds a file system and namespaces of its own for one command.
import { lstatSync, readlinkSync } from "node:fs";
import { resolve } from "node:path";
import { existingTarget } from "../files.ts";
import { isInside } from "../paths.ts";
import { type Confinement, type Prefix, realPlaces } from "./confinement.ts";

/** Where programs and their libraries are; on many systems some are links into another. */
const SYSTEM =
  "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store /gnu/store /run/current-system /etc/alternatives".split(" ");
/** Names of users, the clock's zone, where libraries are: what programs need to say the same as outside. */
const ETC =
  "group passwd nsswitch.conf ld.so.cache ld.so.conf ld.so.conf.d locale.alias localtime timezone magic magic.mime mime.types".split(
    " ",
  );
/** Where services listen that start programs for whoever asks: being in another network does not keep a command from them. */
const SERVICES =
  "/run/user /run/dbus /run/systemd /run/containerd /run/podman /run/docker.sock /run/snapd.socket /run/libvirt".split(
    " ",
  );
const ALWAYS = ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--unshare-user-try"];
const APART = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"];

export function bubblewrap(program: string, confinement: Confinement, cwd: string): Prefix {
  const rules = confinement.type === "look" ? lookRules(confinement) : workRules(confinement);
  return [program, ...ALWAYS, ...APART, ...rules, "--chdir", existingTarget(cwd) ?? cwd, "--"];
}

function lookRules({ reads, hidden }: Extract<Confinement, { type: "look" }>): string[] {
  const shown = realPlaces(reads);
  // A path may be named through a link that lies outside of all that is shown.
  const aliases = reads.filter((path) => !shown.some((place) => isInside(resolve(path), place)));
  const masks = realPlaces(hidden).filter((path) => shown.some((place) => isInside(path, place) && path !== place));
  // What lies in a place that is shown is there already, unless a mask lies between.
  const isThere = (path: string): boolean =>
    [...shown, ...SYSTEM].some((place) => place !== path && isInside(path, place)) &&
    !masks.some((mask) => isInside(path, mask));
  const places = [
    ...shown.filter((path) => !isThere(path)).map((path) => ({ path, rule: ["--ro-bind", path, path] })),
    ...masks.map((path) => ({ path, rule: hiddenRule(path) })),
  ].sort((a, b) => a.path.length - b.path.length);
  return [
    "--unshare-net",
    ...SYSTEM.flatMap(systemRule),
    ...ETC.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
    // Before what is shown: a folder may lie in /dev/shm.
    ...["--tmpfs", "/tmp", "--dev", "/dev"],
    ...places.flatMap(({ rule }) => rule),
    ...aliases.flatMap((path) => ["--ro-bind-try", path, resolve(path)]),
    ...["--proc", "/proc", "--remount-ro", "/proc"],
    ...masks.filter(isFolder).flatMap((path) => ["--remount-ro", path]),
    ...["--remount-ro", "/"],
  ];
}

function systemRule(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) return ["--symlink", readlinkSync(path), path];
  return stat ? ["--ro-bind", path, path] : [];
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const hiddenRule = (path: string): string[] =>
  isFolder(path) ? ["--tmpfs", path] : ["--ro-bind-try", "/dev/null", path];

function workRules({ writes, network, hidden }: Extract<Confinement, { type: "work" }>): string[] {
  return [
    ...(network ? [] : ["--unshare-net"]),
    ...["--ro-bind", "/", "/", "--dev", "/dev"],
    ...(network ? [] : realPlaces(SERVICES).flatMap(hiddenRule)),
    ...realPlaces(writes).flatMap((path) => ["--bind", path, path]),
    ...realPlaces(hidden).flatMap(hiddenRule),
    ...["--proc", "/proc", "--remount-ro", "/proc"],
  ];
}
