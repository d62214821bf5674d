// The one door: every call of every actor is decided here, asked about here, and written down here.
import { shortId } from "../base/id.ts";
import { Mutex } from "../base/mutex.ts";
import { type Ask, type Decision, type Deny, decide } from "../permission/decide.ts";
import { explainAsk, refuseByUser, refuseUnasked } from "../permission/explain.ts";
import { inspect } from "../permission/inspect.ts";
import type { Part } from "../permission/part.ts";
import { realPath } from "../permission/path.ts";
import type { Policy } from "../permission/policy.ts";
import type { PermissionAnswer, PermissionRequest } from "../schema/permission.ts";
import type { Tool } from "../tool/contract.ts";
import type { Permit, Session } from "./session.ts";
import { nextPhase } from "./turn-phase.ts";

export type Question = {
  requestId: string;
  request: PermissionRequest;
  explanation: string;
  reason: string;
  session?: string;
  location?: string;
};

export type DoorParts = {
  session: () => Session;
  /** Rules, approvals and folders as they are now. */
  policy: () => Policy;
  userHome: string;
  /** Absent when nobody can be asked. */
  ask?: (question: Question, signal: AbortSignal) => Promise<PermissionAnswer>;
  /** Keeps the rules of a session or location answer. */
  store: (scope: "session" | "location", rules: readonly string[]) => Promise<void>;
};

export type Call = { toolCallId: string; tool: Tool; input: unknown; signal: AbortSignal };

export class Door {
  readonly #parts: DoorParts;
  readonly #oneAtATime = new Mutex();
  /** Real paths that were let through, by call: what a tool checks again when it opens them. */
  readonly #granted = new Map<string, Set<string>>();

  constructor(parts: DoorParts) {
    this.#parts = parts;
  }

  async permit(call: Call): Promise<Permit> {
    const session = this.#parts.session();
    const { cwd } = session.state.context;
    const requests = call.tool.permissions(call.input, { cwd, root: session.root, sessionDir: session.dir });
    const parts = await inspect(requests, { cwd, userHome: this.#parts.userHome });
    const decision = decide(parts, this.#parts.policy());
    if (decision.type === "allow") return this.#allow(call, parts);
    if (decision.type === "deny") return this.#deny(call, requests, decision);
    return this.#oneAtATime.run(() => this.#askUser(call, requests, parts));
  }

  /** Checked at use: the place that the path really leads to now is one that was let through for this call. */
  allowedPath(toolCallId: string, path: string): boolean {
    const real = realPath(path, this.#parts.session().state.context.cwd);
    return real !== undefined && (this.#granted.get(toolCallId)?.has(real) ?? false);
  }

  #allow(call: Call, parts: readonly Part[]): Permit {
    const paths = parts.flatMap((p) =>
      (p.kind === "read" || p.kind === "write") && p.real !== undefined ? [p.real] : [],
    );
    this.#granted.set(call.toolCallId, new Set(paths));
    return { type: "allow" };
  }

  async #deny(call: Call, requests: readonly PermissionRequest[], deny: Deny): Promise<Permit> {
    await this.#record(call, requests, {
      result: "denied",
      reason: deny.reason,
      ...(deny.rule ? { rule: deny.rule } : {}),
    });
    return { type: "deny", code: deny.code, message: deny.reason };
  }

  async #askUser(call: Call, requests: readonly PermissionRequest[], parts: readonly Part[]): Promise<Permit> {
    const policy = this.#parts.policy();
    // An answer given to an earlier prompt may cover this one by now.
    const decision: Decision = decide(parts, policy);
    if (decision.type === "allow") return this.#allow(call, parts);
    if (decision.type === "deny") return this.#deny(call, requests, decision);
    if (!this.#parts.ask || call.signal.aborted || policy.mode === "autopilot") {
      return this.#deny(call, requests, refuseUnasked(decision, policy));
    }
    const { live } = this.#parts.session();
    const question = questionOf(decision, requests);
    await this.#parts.session().emit("permission.requested", {
      requestId: question.requestId,
      toolCallId: call.toolCallId,
      kind: question.request.kind,
      request: question.request,
    });
    live.phase = nextPhase(live.phase, { type: "asked", for: "permission" });
    const answer = await this.#parts.ask(question, call.signal);
    live.phase = nextPhase(live.phase, { type: "answered" });
    return this.#answered(call, decision, question.requestId, parts, answer);
  }

  async #answered(
    call: Call,
    ask: Ask,
    requestId: string,
    parts: readonly Part[],
    answer: PermissionAnswer,
  ): Promise<Permit> {
    const session = this.#parts.session();
    if (answer.type === "reject") {
      const deny = refuseByUser(ask, answer);
      await session.emit("permission.completed", { requestId, result: "denied", reason: deny.reason });
      return { type: "deny", code: deny.code, message: deny.reason };
    }
    const rules = answer.type === "once" ? undefined : ask.offer[answer.type];
    const scope = rules ? answer.type : "once";
    await session.emit("permission.completed", {
      requestId,
      result: "approved",
      scope,
      ...(rules ? { rule: rules.join(", ") } : {}),
    });
    if (rules && answer.type !== "once") {
      await this.#parts.store(answer.type, rules);
      await session.emit("permission.rules_changed", {
        scope: answer.type,
        added: [...rules],
        removed: [],
        allowAll: this.#parts.policy().allowAll,
      });
    }
    return this.#allow(call, parts);
  }

  async #record(
    call: Call,
    requests: readonly PermissionRequest[],
    completed: { result: "denied"; reason: string; rule?: string },
  ): Promise<void> {
    const [request] = requests;
    if (!request) return;
    const requestId = shortId("perm");
    await this.#parts
      .session()
      .emit("permission.requested", { requestId, toolCallId: call.toolCallId, kind: request.kind, request });
    await this.#parts.session().emit("permission.completed", { requestId, ...completed });
  }
}

function questionOf(ask: Ask, requests: readonly PermissionRequest[]): Question {
  const index = ask.parts[0]?.part.index ?? 0;
  const request = requests[index] ?? requests[0];
  if (!request) throw new Error("A question about nothing.");
  const diff = request.kind === "write" && request.diff ? `\n${request.diff}` : "";
  return {
    requestId: shortId("perm"),
    request,
    explanation: explainAsk(ask, requests) + diff,
    reason: ask.reason,
    ...(ask.offer.session ? { session: ask.offer.session.join(", ") } : {}),
    ...(ask.offer.location ? { location: ask.offer.location.join(", ") } : {}),
  };
}
