// What is allowed in the open session right now: rules of the settings, approvals, allow-all, folders; and the door that asks.

import { addLocationApprovals, locationApprovals, resetLocationApprovals } from "../permission/approvals.ts";
import { makePolicy, type Policy, type SourcedRule } from "../permission/policy.ts";
import { parseRule } from "../permission/rule.ts";
import type { Rule } from "../schema/permission.ts";
import { Door } from "../session/permit.ts";
import type { Session } from "../session/session.ts";
import type { OriginRule } from "../settings/load.ts";
import type { Prompts } from "./client.ts";
import type { Ground } from "./start.ts";

export class Approvals {
  readonly door: Door;
  readonly #session: Session;
  readonly #ground: Ground;
  readonly #tempDir: string;
  readonly #settings: { deny: SourcedRule[]; ask: SourcedRule[]; allow: SourcedRule[] };
  readonly #folders: string[];
  #sessionRules: Rule[] = [];
  #locationRules: Rule[] | undefined;
  #allowAll: boolean;

  constructor(session: Session, ground: Ground, prompts: Prompts, tempDir: string) {
    this.#session = session;
    this.#ground = ground;
    this.#tempDir = tempDir;
    const { permissions, values } = ground.settings;
    this.#settings = { deny: rules(permissions.deny), ask: rules(permissions.ask), allow: rules(permissions.allow) };
    this.#folders = permissions.dirs.map((d) => d.text);
    this.#allowAll = values["permissions.allowAll"];
    const ask = prompts.permission;
    this.door = new Door({
      session: () => session,
      policy: () => this.policy(),
      userHome: ground.userHome,
      ...(ask ? { ask: (question, signal) => ask({ ...question, agent: "main agent" }, signal) } : {}),
      store: (scope, texts) => this.#store(scope, texts),
    });
  }

  get allowAll(): boolean {
    return this.#allowAll;
  }

  /** Must be awaited before the first decision: approvals of this location stand in a file. */
  async load(): Promise<void> {
    const read = await locationApprovals(this.#ground.paths.home, this.#session.root);
    this.#locationRules = read.ok ? read.value : [];
    if (!read.ok)
      this.#session.publish("soft_failure", {
        part: "permissions.json",
        code: read.error.code,
        message: read.error.what,
      });
  }

  policy(): Policy {
    const { context, mode } = this.#session.state;
    return makePolicy({
      ...this.#settings,
      session: this.#sessionRules,
      location: this.#locationRules ?? [],
      allowAll: this.#allowAll,
      mode,
      trusted: this.#ground.trust.trusted,
      root: this.#session.root,
      cwd: context.cwd,
      sessionDir: this.#session.dir,
      everlongHome: this.#ground.paths.home,
      userHome: this.#ground.userHome,
      tempDir: this.#tempDir,
      dirs: this.#folders,
    });
  }

  addFolder(path: string): void {
    this.#folders.push(path);
  }

  /** Approvals that a skill or the user gives for the session; never over a deny or ask. */
  addSessionRules(texts: readonly string[]): void {
    this.#sessionRules.push(...texts.map(parseRule).flatMap((r) => (r.ok ? [r.value] : [])));
  }

  async setAllowAll(on: boolean): Promise<void> {
    this.#allowAll = on;
    await this.#session.emit("permission.rules_changed", { scope: "session", added: [], removed: [], allowAll: on });
  }

  async reset(scope: "session" | "location"): Promise<void> {
    const removed = (scope === "session" ? this.#sessionRules : (this.#locationRules ?? [])).map((r) => r.text);
    if (scope === "session") this.#sessionRules = [];
    else {
      await resetLocationApprovals(this.#ground.paths.home, this.#session.root);
      this.#locationRules = [];
    }
    await this.#session.emit("permission.rules_changed", { scope, added: [], removed, allowAll: this.#allowAll });
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
      ...(this.#locationRules ?? []).map((r) => ({ list: "allow", rule: r.text, origin: "approved for this folder" })),
    ];
  }

  async #store(scope: "session" | "location", texts: readonly string[]): Promise<void> {
    this.addSessionRules(texts);
    if (scope === "session") return;
    const saved = await addLocationApprovals(this.#ground.paths.home, this.#session.root, texts);
    if (!saved.ok)
      this.#session.publish("soft_failure", {
        part: "permissions.json",
        code: saved.error.code,
        message: saved.error.what,
      });
  }
}

function rules(from: readonly OriginRule[]): SourcedRule[] {
  return from.flatMap(({ text, source }) => {
    const rule = parseRule(text);
    return rule.ok ? [{ ...rule.value, source }] : [];
  });
}
