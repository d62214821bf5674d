// What is allowed in the open session right now: rules of the settings, approvals, allow-all, folders; and the door that asks.

import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { childEnvironment, plainEnvironment } from "../../host/environment.ts";
import {
  addLocationApprovals,
  dropLocationApprovals,
  locationApprovals,
  resetLocationApprovals,
} from "../../permission/approvals.ts";
import { matchesRule } from "../../permission/match-rule.ts";
import { realPath } from "../../permission/path.ts";
import { makePolicy, type Policy, type SourcedRule } from "../../permission/policy.ts";
import { parseRule } from "../../permission/rule.ts";
import { MAIN_AGENT, type Rule } from "../../schema/permission.ts";
import { Door } from "../../session/permit.ts";
import type { Conversation } from "../../session/session.ts";
import type { OriginRule } from "../../settings/load.ts";
import type { UpdateFile } from "../../settings/write.ts";
import { createSecondWall, type SecondWall } from "../../tool/second-wall.ts";
import type { Prompts } from "../client/session.ts";
import { changeInHome } from "../home-file.ts";
import type { Workspace } from "../workspace.ts";

export class Approvals {
  readonly door: Door;
  readonly wall: SecondWall;
  readonly #main: Conversation;
  readonly #workspace: Workspace;
  readonly #tempDir: string;
  readonly #update: UpdateFile;
  readonly #settings: { deny: SourcedRule[]; ask: SourcedRule[]; allow: SourcedRule[] };
  readonly #folders: string[];
  #sessionRules: Rule[] = [];
  #locationRules: Rule[] = [];
  #allowAll: boolean;

  constructor(main: Conversation, workspace: Workspace, prompts: Prompts, tempDir: string) {
    this.#main = main;
    this.#workspace = workspace;
    this.#tempDir = tempDir;
    this.#update = changeInHome(workspace.paths.home);
    const { permissions, values } = workspace.settings;
    this.#settings = { deny: rules(permissions.deny), ask: rules(permissions.ask), allow: rules(permissions.allow) };
    this.#folders = permissions.dirs.map((d) => d.text);
    this.#allowAll = values["permissions.allowAll"];
    this.wall = createSecondWall({
      settings: () => ({
        mode: values["sandbox.mode"],
        commands: values["sandbox.commands"],
        network: values["sandbox.network"],
      }),
      places: () => {
        const { allowedFolders, places } = this.policy();
        return { folders: allowedFolders, temp: realPath(tempDir, "/") ?? tempDir, home: places.everlongHome };
      },
      env: () => plainEnvironment(childEnvironment({ base: workspace.env, secrets: workspace.secrets })),
    });
    const ask = prompts.permission;
    this.door = new Door({
      main,
      policy: () => this.policy(),
      userHome: workspace.userHome,
      doubt: (command) => this.wall.doubt(command),
      ...(ask
        ? {
            ask: (question, signal) => ask({ ...question, agent: question.agent ?? MAIN_AGENT }, signal),
            waiting: (count) => main.publish("permission.waiting", { count }),
          }
        : {}),
      store: (scope, texts) => this.#store(scope, texts),
    });
  }

  get allowAll(): boolean {
    return this.#allowAll;
  }

  /** Must be awaited before the first decision: approvals of this location stand in a file. */
  async load(): Promise<void> {
    const read = await locationApprovals(this.#workspace.paths.home, this.#main.root);
    this.#locationRules = read.ok ? read.value : [];
    if (!read.ok) this.#report(read.error);
  }

  policy(): Policy {
    const { context, mode } = this.#main.state;
    return makePolicy({
      ...this.#settings,
      session: this.#sessionRules,
      location: this.#locationRules,
      allowAll: this.#allowAll,
      mode,
      trusted: this.#workspace.trust.trusted,
      root: this.#main.root,
      cwd: context.cwd,
      sessionDir: this.#main.dir,
      everlongHome: this.#workspace.paths.home,
      userHome: this.#workspace.userHome,
      tempDir: this.#tempDir,
      dirs: this.#folders,
      started: [...this.#workspace.trust.started.values()].flat().map(({ path }) => path),
    });
  }

  addFolder(path: string): void {
    this.#folders.push(path);
  }

  /** Approvals that a skill or the user gives for the session; never over a deny or ask. */
  addSessionRules(texts: readonly string[]): void {
    const isNew = ({ text }: Rule) => !this.#sessionRules.some((rule) => rule.text === text);
    this.#sessionRules.push(...parsed(texts).filter(isNew));
  }

  async setAllowAll(on: boolean): Promise<void> {
    this.#allowAll = on;
    await this.#main.emit("permission.rules_changed", { scope: "session", added: [], removed: [], allowAll: on });
  }

  /** A location whose file cannot be changed keeps its approvals, and the failure says so. */
  async reset(scope: "session" | "location"): Promise<Result<void, Failure>> {
    const removed = (scope === "session" ? this.#sessionRules : this.#locationRules).map((r) => r.text);
    if (scope === "session") this.#sessionRules = [];
    else {
      const gone = await resetLocationApprovals(this.#workspace.paths.home, this.#main.root, this.#update);
      if (!gone.ok) return gone;
      this.#locationRules = [];
    }
    await this.#main.emit("permission.rules_changed", { scope, added: [], removed, allowAll: this.#allowAll });
    return ok(undefined);
  }

  /** MCP tools that are not what they were when they were approved ask again. */
  async dropMcp(tools: readonly { server: string; tool: string }[]): Promise<void> {
    // A rule for the whole server covers it too: what it was given for is no longer what it allows.
    const parts = tools.map((tool) => ({ kind: "mcp", index: 0, ...tool, readOnly: false }) as const);
    const isVoid = (rule: Rule): boolean => parts.some((part) => matchesRule(rule, part, this.#main.root, "strict"));
    const [session, location] = [this.#sessionRules.filter(isVoid), this.#locationRules.filter(isVoid)];
    this.#sessionRules = this.#sessionRules.filter((rule) => !isVoid(rule));
    this.#locationRules = this.#locationRules.filter((rule) => !isVoid(rule));
    for (const [scope, rules] of [["session", session] as const, ["location", location] as const]) {
      const removed = rules.map((rule) => rule.text);
      if (removed.length === 0) continue;
      await this.#main.emit("permission.rules_changed", { scope, added: [], removed, allowAll: this.#allowAll });
    }
    if (location.length === 0) return;
    const texts = location.map((rule) => rule.text);
    const { home } = this.#workspace.paths;
    const outcome = await dropLocationApprovals(home, this.#main.root, texts, this.#update);
    if (!outcome.ok) this.#report(outcome.error);
  }

  /** Every rule with where it comes from. */
  list(): { list: string; rule: string; origin: string }[] {
    const sourced = (list: string, from: readonly SourcedRule[]) =>
      from.map((r) => ({ list, rule: r.text, origin: r.source ?? "settings" }));
    return [
      ...sourced("deny", this.#settings.deny),
      ...sourced("ask", this.#settings.ask),
      ...sourced("allow", this.#settings.allow),
      ...this.#sessionRules.map((r) => ({ list: "allow", rule: r.text, origin: "approved for this session" })),
      ...this.#locationRules.map((r) => ({ list: "allow", rule: r.text, origin: "approved for this folder" })),
    ];
  }

  /** An answer for the location that cannot be saved still holds for the session. */
  async #store(scope: "session" | "location", texts: readonly string[]): Promise<void> {
    if (scope === "session") return this.addSessionRules(texts);
    const saved = await addLocationApprovals(this.#workspace.paths.home, this.#main.root, texts, this.#update);
    if (saved.ok) {
      this.#locationRules.push(...parsed(texts));
      return;
    }
    this.addSessionRules(texts);
    this.#report(saved.error);
  }

  #report({ code, what }: Failure): void {
    this.#main.publish("soft_failure", { part: "permissions.json", code, message: what });
  }
}

const parsed = (texts: readonly string[]): Rule[] => texts.map(parseRule).flatMap((r) => (r.ok ? [r.value] : []));

export function rules(from: readonly OriginRule[]): SourcedRule[] {
  return from.flatMap(({ text, source }) => {
    const rule = parseRule(text);
    return rule.ok ? [{ ...rule.value, source }] : [];
  });
}

/** Whether a rule takes this tool away, for tools that ask for nothing. */
export const isToolDenied = ({ settings }: Pick<Workspace, "settings">, tool: string): boolean =>
  rules(settings.permissions.deny).some(({ kind, argument }) => kind === "hook" && argument === tool);
