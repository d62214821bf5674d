// By what the user's own group is named: an id that they set, their GitHub login as this machine knows it, else a random key.
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { secretKey, type Workspace } from "../workspace.ts";

type UserPlace = Pick<Workspace, "settings" | "paths" | "userHome" | "env">;

/** Nothing is asked of anybody, and no e-mail address is used. */
export const userKey = (workspace: UserPlace): string =>
  knownOwner(workspace)?.id ??
  `everlong_user:${hash("sha256", `graph user ${secretKey(workspace.paths.home)}`).slice(0, 32)}`;

/** Who the user is, where they said so or this machine knows their login. */
export function knownOwner(place: UserPlace): { id: string; label: string } | undefined {
  const id = place.settings.values["memory.graphiti.userId"];
  if (id !== undefined && id !== "") return { id, label: id };
  const login = loginOf(place);
  return login === undefined ? undefined : { id: `github_login:${login.toLowerCase()}`, label: login };
}

const logins = new WeakMap<object, { login: string | undefined; until: number }>();
/** Asked with every message; the files behind it hardly ever change. */
const LOGIN_MS = 60_000;

function loginOf(place: UserPlace): string | undefined {
  const { userHome, env } = place;
  const entry = logins.get(env);
  if (entry && performance.now() < entry.until) return entry.login;
  const folder = env["GH_CONFIG_DIR"] ?? join(env["XDG_CONFIG_HOME"] ?? join(userHome, ".config"), "gh");
  const login = ghLogin(folder) ?? gitLogin(userHome);
  logins.set(env, { login, until: performance.now() + LOGIN_MS });
  return login;
}

/** One line of a file that gh writes itself: a reader of YAML is a tenth of what a session loads. */
const ghLogin = (folder: string): string | undefined =>
  /^github\.com:[ \t]*\r?\n(?:[ \t]+.*\n)*?[ \t]+user:[ \t]*["']?([\w-]+)["']?[ \t]*\r?$/m.exec(
    textOf(join(folder, "hosts.yml")) ?? "",
  )?.[1];

const gitLogin = (userHome: string): string | undefined =>
  /^\s*\[github\][^[]*?^\s*user\s*=\s*(\S+)\s*$/m.exec(textOf(join(userHome, ".gitconfig")) ?? "")?.[1];

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").slice(0, 1_000_000);
  } catch {
    return undefined;
  }
}
