// The one door: every call of every actor is decided here, asked about here, and written down here.
import { shortId } from "../base/id.ts";
import { Mutex } from "../base/mutex.ts";
import { optional } from "../base/optional.ts";
import { type ApprovalQuestion, type Deny, decide, type PermissionDecision } from "../permission/decide.ts";
import { type Doubt, withDoubts } from "../permission/doubt.ts";
import { explainAsk, refuseByHook, refuseByUser, refuseUnanswered, refuseUnasked } from "../permission/explain.ts";
import { inspect } from "../permission/inspect.ts";
import type { PermissionPart } from "../permission/part.ts";
import { realPath } from "../permission/path.ts";
import { planOf } from "../permission/permit.ts";
import type { HookOpinion, Policy } from "../permission/policy.ts";
import type { PermissionAnswer, PermissionRequest } from "../schema/permission.ts";
import type { Tool } from "../tool/contract.ts";
import type { Permit, PermitCall, RunHook } from "./parts.ts";
import type { Conversation } from "./session.ts";
import { nextPhase } from "./turn-phase.ts";

export type PermissionQuestion = {
  requestId: string;
  toolCallId: string;
  request: PermissionRequest;
  /** The whole command, path, diff or address, with the parts that need approval marked. */
  explanation: string;
  /** Why it asks. */
  reason: string;
  /** The subagent that asks. */
  agent?: string;
  /** The exact rules that the wider answers store; absent when they are not offered. */
  session?: string;
  location?: string;
};

type DoorParts = {
  /** The main conversation: it says when rules change. */
  main: Pick<Conversation, "state" | "emit">;
  /** Rules, approvals and folders as they are now. */
  policy: () => Policy;
  userHome: string;
  /** What may be wrong with a command that only looks, where it would run. */
  doubt?: Doubt;
  /** Absent when nobody can be asked. */
  ask?: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;
  /** Told how many questions wait, the one that is asked included. */
  waiting?: (count: number) => void;
  /** Keeps the rules of a session or location answer. */
  store: (scope: "session" | "location", rules: readonly string[]) => Promise<void>;
};

/** What is allowed is the same for every actor of the session. */
type DoorCall = PermitCall & { actor: PermitActor };

/** Whose events tell of the call. `name`: of a subagent, for the question. `asksNobody`: what would need an answer is denied. */
export type PermitActor = { conversation: Conversation; hook: RunHook; name?: string; asksNobody?: true };

/** Far more than can run at once: older calls have ended long ago. */
const MOST_GRANTED = 10_000;

export class Door {
  readonly #parts: DoorParts;
  readonly #oneAtATime = new Mutex();
  #waiting = 0;
  /** Real paths that were let through, by call: what a tool checks again when it opens them. */
  readonly #granted = new Map<string, Set<string>>();

  constructor(parts: DoorParts) {
    this.#parts = parts;
  }

  async permit(call: DoorCall): Promise<Permit> {
    const { conversation } = call.actor;
    const { cwd } = conversation.state.context;
    const permissionRequests = call.tool.permissions(call.input, {
      cwd,
      root: conversation.root,
      sessionDir: conversation.dir,
    });
    // A tool without side effects asks for nothing: what a hook has against it must be about something.
    const requests =
      permissionRequests.length === 0 && objects(call.hook) ? [hookRequest(call.tool)] : permissionRequests;
    const { everlongHome } = this.#parts.policy().places;
    const inspected = await inspect(requests, { cwd, userHome: this.#parts.userHome, everlongHome });
    const parts = this.#parts.doubt ? await withDoubts(inspected, this.#parts.doubt) : inspected;
    const decision = this.#decide(call, parts);
    if (decision.type === "allow") return this.#allow(call, parts);
    if (decision.type === "deny") return this.#deny(call, requests, decision);
    const reason = await call.tool.foresee?.(call.input, { cwd, mayRead: (path) => this.#mayRead(call, path) });
    if (reason) return { type: "deny", ...reason, futile: true };
    return (
      (await this.#askHooks(call, decision, requests, parts)) ??
      this.#inTurn(call.signal, () => this.#askUser(call, requests, parts))
    );
  }

  /** One question at a time. Who is stopped while others are asked does not wait for their answers. */
  async #inTurn(signal: AbortSignal, ask: () => Promise<Permit>): Promise<Permit> {
    const stopped: Permit = { type: "deny", code: "interrupted", message: "Interrupted before anybody was asked." };
    if (signal.aborted) return stopped;
    this.#parts.waiting?.(++this.#waiting);
    return new Promise<Permit>((resolve, reject) => {
      const leave = () => resolve(stopped);
      signal.addEventListener("abort", leave, { once: true });
      this.#oneAtATime
        .run(async () => {
          signal.removeEventListener("abort", leave);
          return signal.aborted ? stopped : ask();
        })
        .then(resolve, reject);
    }).finally(() => this.#parts.waiting?.(--this.#waiting));
  }

  #decide(call: DoorCall, parts: readonly PermissionPart[]): PermissionDecision {
    const policy = this.#parts.policy();
    return decide(parts, call.hook ? { ...policy, hook: call.hook } : policy);
  }

  /** Checked at use: the place that the path really leads to now is one that was let through for this call. */
  allowedPath(toolCallId: string, path: string): boolean {
    const real = realPath(path, this.#parts.main.state.context.cwd);
    return real !== undefined && (this.#granted.get(toolCallId)?.has(real) ?? false);
  }

  /** Whether anybody may read it unasked. A hook that wants a person to look at the call may mean the file. */
  async #mayRead({ hook, actor }: DoorCall, path: string): Promise<boolean> {
    if (objects(hook)) return false;
    const { userHome, policy } = this.#parts;
    const { cwd } = actor.conversation.state.context;
    const { everlongHome } = policy().places;
    const parts = await inspect([{ kind: "read", path }], { cwd, userHome, everlongHome });
    return decide(parts, policy()).type === "allow";
  }

  #allow(call: DoorCall, parts: readonly PermissionPart[]): Permit {
    const paths = parts.flatMap((p) =>
      (p.kind === "read" || p.kind === "write") && p.real !== undefined ? [p.real] : [],
    );
    this.#granted.set(call.toolCallId, new Set(paths));
    const [oldest] = this.#granted.keys();
    if (this.#granted.size > MOST_GRANTED && oldest !== undefined) this.#granted.delete(oldest);
    return { type: "allow", ...optional("plan", planOf(parts, this.#parts.policy())) };
  }

  async #deny(call: DoorCall, requests: readonly PermissionRequest[], deny: Deny): Promise<Permit> {
    const [request] = requests;
    if (request) {
      const requestId = await this.#requested(call, request);
      await call.actor.conversation.emit("permission.completed", {
        requestId,
        result: "denied",
        reason: deny.reason,
        ...(deny.rule ? { rule: deny.rule } : {}),
      });
    }
    return { type: "deny", code: deny.code, message: deny.reason, ...(deny.covered ? { covered: true } : {}) };
  }

  /** Step 11: hooks may answer in the person's place, but never what must go straight to the person. */
  async #askHooks(
    call: DoorCall,
    ask: ApprovalQuestion,
    requests: readonly PermissionRequest[],
    parts: readonly PermissionPart[],
  ): Promise<Permit | undefined> {
    const { conversation, hook } = call.actor;
    if (ask.always || call.signal.aborted) return undefined;
    const request = askedRequest(ask, requests);
    const about = { kind: request.kind, request, toolName: call.tool.name };
    const { answer } = await hook("permissionRequest", about, call.signal);
    if (!answer) return undefined;
    if (answer.decision === "deny") return this.#deny(call, [request], refuseByHook(ask, answer.reason));
    const requestId = await this.#requested(call, request);
    const reason = `a hook: ${answer.reason}`;
    await conversation.emit("permission.completed", { requestId, result: "approved", scope: "once", reason });
    return this.#allow(call, parts);
  }

  async #askUser(
    call: DoorCall,
    requests: readonly PermissionRequest[],
    parts: readonly PermissionPart[],
  ): Promise<Permit> {
    const policy = this.#parts.policy();
    // An answer given to an earlier prompt may cover this one by now.
    const decision = this.#decide(call, parts);
    if (decision.type === "allow") return this.#allow(call, parts);
    if (decision.type === "deny") return this.#deny(call, requests, decision);
    if (!this.#parts.ask || call.actor.asksNobody || call.signal.aborted || policy.mode === "autopilot") {
      return this.#deny(call, requests, refuseUnasked(decision, policy));
    }
    const { turn } = call.actor.conversation.live;
    const request = askedRequest(decision, requests);
    const requestId = await this.#requested(call, request);
    const { cwd } = call.actor.conversation.state.context;
    const preview = await call.tool.preview?.(call.input, { cwd });
    const { toolCallId } = call;
    const question = { requestId, toolCallId, request, ...words(decision, requests, cwd, preview), ...agentOf(call) };
    turn.phase = nextPhase(turn.phase, { type: "asked", for: "permission" });
    const answer = await this.#parts.ask(question, call.signal);
    turn.phase = nextPhase(turn.phase, { type: "answered" });
    return this.#answered(call, decision, requestId, parts, answer);
  }

  async #answered(
    call: DoorCall,
    ask: ApprovalQuestion,
    requestId: string,
    parts: readonly PermissionPart[],
    answer: PermissionAnswer,
  ): Promise<Permit> {
    const { conversation } = call.actor;
    if (answer.type === "reject") {
      const deny = call.signal.aborted ? refuseUnanswered(ask) : refuseByUser(ask, answer);
      await conversation.emit("permission.completed", { requestId, result: "denied", reason: deny.reason });
      return { type: "deny", code: deny.code, message: deny.reason };
    }
    const rules = answer.type === "once" ? undefined : ask.offer[answer.type];
    const scope = rules ? answer.type : "once";
    await conversation.emit("permission.completed", {
      requestId,
      result: "approved",
      scope,
      ...(rules ? { rule: rules.join(", ") } : {}),
    });
    if (rules && answer.type !== "once") {
      await this.#parts.store(answer.type, rules);
      await this.#parts.main.emit("permission.rules_changed", {
        scope: answer.type,
        added: [...rules],
        removed: [],
        allowAll: this.#parts.policy().allowAll,
      });
    }
    const { edited, replaces } = answer.type === "once" ? answer : {};
    return { ...this.#allow(call, parts), ...optional("edited", edited), ...optional("replaces", replaces) };
  }

  async #requested(call: DoorCall, request: PermissionRequest): Promise<string> {
    const requestId = shortId("perm");
    await call.actor.conversation.emit("permission.requested", {
      requestId,
      toolCallId: call.toolCallId,
      kind: request.kind,
      request,
      ...agentOf(call),
    });
    return requestId;
  }
}

const objects = (hook: HookOpinion | undefined): boolean => hook?.decision === "deny" || hook?.decision === "ask";
const hookRequest = (tool: Tool): PermissionRequest => ({ kind: "hook", name: tool.name });
const agentOf = ({ actor }: DoorCall): { agent?: string } => optional("agent", actor.name);

/** The first of the call's requests that needs approval. */
function askedRequest(ask: ApprovalQuestion, requests: readonly PermissionRequest[]): PermissionRequest {
  const request = requests[ask.parts[0]?.part.index ?? 0] ?? requests[0];
  if (!request) throw new Error("A question about nothing.");
  return request;
}

function words(
  ask: ApprovalQuestion,
  requests: readonly PermissionRequest[],
  cwd: string,
  preview: string | undefined,
): Pick<PermissionQuestion, "explanation" | "reason" | "session" | "location"> {
  return {
    explanation: [explainAsk(ask, requests, cwd), ...(preview === undefined ? [] : [preview])].join("\n"),
    reason: ask.reason,
    ...(ask.offer.session ? { session: ask.offer.session.join(", ") } : {}),
    ...(ask.offer.location ? { location: ask.offer.location.join(", ") } : {}),
  };
}
