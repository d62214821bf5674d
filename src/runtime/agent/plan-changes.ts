// Changes of plan.md: each one is an event, and one that somebody else made is told to the model at the next turn.
import { createHash } from "node:crypto";
import type { PendingNotice } from "../../session/parts.ts";
import type { Conversation } from "../../session/session.ts";
import { readOptional } from "../session/read-optional.ts";

type PlanServices = { main: Conversation; path: string };

/** A file that is not there has an empty hash. */
const hashOf = (text: string): string => (text === "" ? "" : createHash("sha256").update(text).digest("hex"));

export class PlanChanges {
  readonly #services: PlanServices;
  #hash: string | undefined;

  constructor(services: PlanServices) {
    this.#services = services;
  }

  /** Looks at the file; a change is told once. */
  news(): PendingNotice[] {
    const { main, path } = this.#services;
    const sha256 = hashOf(readOptional(path));
    const before = this.#hash ?? this.#recorded() ?? sha256;
    this.#hash = sha256;
    if (sha256 === before) return [];
    const operation = sha256 === "" ? "delete" : before === "" ? "create" : "update";
    const by = this.#wroteLast() ? "agent" : "outside";
    void main.emit("session.plan_changed", { operation, sha256, by });
    if (by === "agent") return [];
    const words = operation === "delete" ? "was removed" : "was changed outside of this conversation; read it again";
    return [{ kind: "plan_changed", content: `plan.md ${words}.` }];
  }

  /** What an earlier process saw. A session without such an event begins with what is there. */
  #recorded(): string | undefined {
    const last = this.#services.main.state.chain.findLast(({ type }) => type === "session.plan_changed");
    return last?.type === "session.plan_changed" ? last.data.sha256 : undefined;
  }

  /** Since the last change that was told. */
  #wroteLast(): boolean {
    const { main, path } = this.#services;
    const { chain } = main.state;
    return chain
      .slice(chain.findLastIndex(({ type }) => type === "session.plan_changed") + 1)
      .some(
        (event) =>
          event.type === "tool.execution_complete" &&
          event.data.filesChanged?.some((one) => one.path === path) === true,
      );
  }
}
