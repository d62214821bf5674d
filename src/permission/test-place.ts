// For this room's tests: a real folder tree with a home, a project and a session, and decisions made in it.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratchFolder } from "../base/scratch-fixture.ts";
import type { PermissionRequest, Rule } from "../schema/permission.ts";
import { decide, type PermissionDecision } from "./decide.ts";
import { inspect } from "./inspect.ts";
import { makePolicy, type Policy, type PolicyInput } from "./policy.ts";
import { parseRule } from "./rule.ts";

export type TestPlace = {
  base: string;
  root: string;
  home: string;
  userHome: string;
  sessionDir: string;
  file: (path: string, text?: string) => string;
  policy: (more?: Partial<PolicyInput>) => Policy;
  decide: (
    requests: PermissionRequest | PermissionRequest[],
    more?: Partial<PolicyInput>,
  ) => Promise<PermissionDecision>;
  shell: (command: string, more?: Partial<PolicyInput>) => Promise<PermissionDecision>;
};

export function rules(...texts: string[]): Rule[] {
  return texts.map((text) => {
    const parsed = parseRule(text);
    if (!parsed.ok) throw new Error(parsed.error);
    return parsed.value;
  });
}

export function makePlace(): TestPlace {
  const base = scratchFolder("permission");
  const userHome = join(base, "me");
  const home = join(userHome, ".everlong");
  const root = join(base, "project");
  const sessionDir = join(home, "sessions", "s1");
  for (const folder of [sessionDir, join(root, "src"), join(base, "tmp"), join(base, "elsewhere")])
    mkdirSync(folder, { recursive: true });
  const policy = (more: Partial<PolicyInput> = {}): Policy =>
    makePolicy({
      root,
      cwd: root,
      sessionDir,
      everlongHome: home,
      userHome,
      tempDir: join(base, "tmp"),
      trusted: true,
      ...more,
    });
  const place: TestPlace = {
    base,
    root,
    home,
    userHome,
    sessionDir,
    file: (path, text = "x") => {
      const full = join(base, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, text);
      return full;
    },
    policy,
    decide: async (requests, more = {}) => {
      const parts = await inspect(Array.isArray(requests) ? requests : [requests], {
        cwd: more.cwd ?? root,
        userHome,
        everlongHome: home,
      });
      return decide(parts, policy(more));
    },
    shell: (command, more) => place.decide({ kind: "shell", command }, more),
  };
  return place;
}
