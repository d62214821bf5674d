// One managed request from body to record: read, made ready, sent, at most twice made smaller, delivered, remembered.
import type { IncomingMessage, ServerResponse } from "node:http";
import { within } from "../../base/abort.ts";
import { errorText } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { wireOf } from "../../model/wire/registry.ts";
import { decodeBody } from "../body/decode.ts";
import { withoutDoubled } from "../body/doubled.ts";
import { bodyPace, readStream } from "../body/read-stream.ts";
import type { Headers, RequestCaller, RequestRecord, Route, ScannedBody, UpstreamAttempt } from "../contract.ts";
import { clientGone, type Delivery } from "../forward/deliver.ts";
import { type AnswerReader, answer, errorAnswer, letGo } from "../forward/error-shape.ts";
import { discard, type UpstreamCall } from "../forward/exchange.ts";
import { explainHeaders } from "../forward/explain.ts";
import { answerFailure } from "../forward/failure.ts";
import { type SendOutcome, send } from "../forward/send.ts";
import { deliverAnswer, deliverRefusal } from "../forward/survivable.ts";
import type { BadSessionKey } from "../identify/session-key.ts";
import type { Observation } from "../observe/observer.ts";
import type { ServicesDoor } from "../services.ts";
import { todoOf } from "../state/todo-header.ts";
import { type ManagedRequest, type ProxyContext, passed, type ReadyRequest, skipStore } from "./context.ts";
import { prepare } from "./prepare.ts";
import { finish } from "./record.ts";

type Managed = {
  req: IncomingMessage;
  res: ServerResponse;
  route: Route;
  headers: Headers;
  /** The path has no query. */
  path: string;
  upstream: string;
  family: RequestCaller["family"];
  familySignal: string;
  /** The folder of the run that the request belongs to. */
  folder?: string;
  /** The headers of the answer tell what was done. */
  explain: boolean;
  /** Where it goes; `changed`: with other bytes than were received. */
  target(changed: boolean): UpstreamCall;
  callerOf(body: ScannedBody["value"]): Result<RequestCaller, BadSessionKey>;
};

const REFUSED = {
  too_large: {
    status: 413,
    code: "too_large",
    message: "The request body is larger than proxy.maxBodyBytes allows. Nothing was sent on.",
  },
  slow: {
    status: 408,
    code: "too_slow",
    message: "The request body came too slowly. Nothing was sent on; send it again.",
  },
} as const;

/** Keeping a summary takes a few transactions. */
const SUMMARY_MS = 1000;

/** The course of a request so far. */
type Course = { id: string; time: string; start: number; timings: Record<string, number>; attempts: UpstreamAttempt[] };

export async function serveManaged(
  context: ProxyContext,
  door: ServicesDoor,
  managed: Managed,
  id: string,
): Promise<void> {
  const { req, res, route, headers } = managed;
  const { clock, settings } = context;
  const course: Course = { id, time: clock.now(), start: clock.monotonic(), timings: {}, attempts: [] };
  const received = await receive(req, settings.maxBodyBytes);
  if (!received.ok) return received.error === "broken" ? undefined : refuseBody(managed, received.error);
  const bad = badHeader(headers);
  if (bad) return answer(res, errorAnswer(route.wire, bad));
  const came = await scanned(received.value, headers, managed, context);
  const body = came.ok ? ok(withoutDoubled(came.value)) : came;
  // No upstream takes doubled answers, so a request that had some is never sent as it came.
  const repaired = body.ok && came.ok && body.value !== came.value ? body.value.bytes : undefined;
  mark(context, course, "read");
  if (!body.ok && body.error === "too_large") return refuseBody(managed, "too_large");
  const request = body.ok ? askedOf(managed, body.value, course) : fail(body.error);
  if (!request.ok && typeof request.error !== "string")
    return answer(res, errorAnswer(route.wire, { status: 400, ...request.error }));
  let prepared: ReadyRequest = request.ok
    ? await prepareOpen(context, door, request.value)
    : passed(`skip:${String(request.error)}`);
  if (repaired && !prepared.bytes) prepared = withBytes(prepared, repaired);
  mark(context, course, "plan");

  const signal = clientGone(res);
  const limits = { firstByteMs: settings.upstreamTimeoutMs, silenceMs: settings.upstreamTimeoutMs };
  let sent: SendOutcome;
  for (;;) {
    const bytes = prepared.bytes ?? received.value;
    const sending = send(bytes, managed.target(prepared.bytes !== undefined), {
      wire: route.wire,
      limits,
      signal,
      strict: settings.strictStreams,
      collect: prepared.collect,
      ...optional("recognise", prepared.recognise),
    });
    prepared = await keptMeanwhile(context, prepared);
    await prepared.sent?.();
    sent = await sending;
    course.attempts.push(attemptOf(sent, prepared, bytes.length));
    if (sent.type !== "context-error") break;
    const next = await smaller(context, prepared, sent);
    if (!next) break;
    discard(sent.answer);
    context.emit({ type: "proxy.retry", data: { request: id, session: next.note.session } });
    prepared = next;
  }
  mark(context, course, "upstream");

  const own = managed.explain
    ? explainHeaders({ request: id, ...prepared.note, recalled: prepared.note.recalled.length })
    : [];
  const delivered = await deliverSent(sent, res, { family: managed.family, wire: route.wire, headers: own });
  mark(context, course, "answer");
  const success = delivered.outcome === "complete" && (delivered.status ?? 500) < 300;
  const keeping = keepAnswer(prepared, sent, success);
  if (prepared.collect) context.summaries.add(keeping);
  const seen = await keeping.finally(() => context.summaries.delete(keeping));
  const model = request.ok ? request.value.model : "";
  const bytes = { bytesIn: received.value.length, bytesSent: (prepared.bytes ?? received.value).length };
  const record = { ...recordOf(managed, course, prepared, delivered, seen), ...bytes, model };
  await Promise.all([finish(context, door, record), prepared.settled]);
}

/** The client's next request may build on what the answer said; its record can wait. */
async function keepAnswer(
  { answered }: ReadyRequest,
  sent: SendOutcome,
  success: boolean,
): Promise<Observation | undefined> {
  if (sent.type === "failure") return undefined;
  const seen = await sent.observed();
  if (success && seen) await answered?.(seen);
  return seen;
}

function withBytes(prepared: ReadyRequest, bytes: Buffer): ReadyRequest {
  const { note } = prepared;
  return { ...prepared, bytes, note: { ...note, action: note.action === "pass" ? "trim" : note.action } };
}

function receive(req: IncomingMessage, maxBytes: number): ReturnType<typeof readStream> {
  if (Number(req.headers["content-length"] ?? 0) > maxBytes) return Promise.resolve(fail("too_large"));
  return readStream(req, { ...bodyPace, maxBytes });
}

function refuseBody({ req, res, route, family }: Managed, failure: keyof typeof REFUSED): void {
  const error = REFUSED[failure];
  const status = family === "codex" && error.status === 413 ? 400 : error.status; // codex sends a 413 again, unchanged
  answer(res, errorAnswer(route.wire, { ...error, status }));
  letGo(req);
}

function recordOf(
  { upstream, path, family, familySignal, folder, route: { wire } }: Managed,
  { id, time, timings, attempts }: Course,
  { note }: ReadyRequest,
  { status, outcome, failure }: Delivery,
  seen: Observation | undefined,
): Omit<RequestRecord, "model" | "bytesIn" | "bytesSent"> {
  const isError = outcome === "complete" && (status ?? 500) >= 400;
  return {
    ...{ id, time, upstream, path, family, familySignal, wire, ...note, attempts, timings },
    outcome: isError ? "failed" : outcome,
    ...optional("folder", folder),
    ...optional("status", status),
    ...optional("failure", failure ?? seen?.errorCode),
    ...optional("usage", seen?.usage),
  };
}

function askedOf(managed: Managed, body: ScannedBody, { id, time }: Course): Result<ManagedRequest, BadSessionKey> {
  const { route, headers, path, upstream } = managed;
  const caller = managed.callerOf(body.value);
  if (!caller.ok) return caller;
  const model = wireOf(route.wire).request.model(body.value, path);
  return ok({ id, time, route, body, headers, caller: caller.value, path, upstream, model });
}

async function scanned(
  received: Buffer,
  headers: Headers,
  { route }: Managed,
  { settings, recent }: ProxyContext,
): Promise<Result<ScannedBody, "unmanaged" | "too_large" | "unparsable">> {
  const decoded = await decodeBody(received, headers["content-encoding"], settings.maxBodyBytes);
  return decoded.ok ? recent.scan(decoded.value, route.wire, headers) : decoded;
}

function badHeader(headers: Headers): { status: number; code: string; message: string } | undefined {
  if (todoOf(headers).ok) return undefined;
  const message =
    "X-Everlong-Todo must be UTF-8 text of at most 8,000 characters, plain or as base64:TEXT. The TODO did not change and nothing was sent on.";
  return { status: 400, code: "bad_header", message };
}

/** Whatever goes wrong in here, the request goes on as it came. */
async function prepareOpen(context: ProxyContext, door: ServicesDoor, request: ManagedRequest): Promise<ReadyRequest> {
  try {
    const services = await door.get();
    if (!services.ok) return skipStore(context, services.error);
    if (context.summaries.size > 0) await within(Promise.allSettled(context.summaries), SUMMARY_MS);
    const todo = todoOf(request.headers);
    return await prepare({ ...context, ...services.value }, request, todo.ok ? todo.value : undefined);
  } catch (error) {
    context.emit({
      type: "proxy.soft_failure",
      data: { part: "planning", request: request.id, message: errorText(error) },
    });
    return passed("skip:internal");
  }
}

/** While the upstream works: what of the request did not have to be kept before it went out. */
async function keptMeanwhile(context: ProxyContext, prepared: ReadyRequest): Promise<ReadyRequest> {
  const { keep, ...rest } = prepared;
  try {
    if (!keep) return rest;
    const after = { ...rest, ...(await keep()) };
    return rest.bytes ? withBytes(after, rest.bytes) : after;
  } catch (error) {
    context.emit({ type: "proxy.soft_failure", data: { part: "planning", message: errorText(error) } });
    return { ...rest, note: { ...rest.note, action: "skip:internal" } };
  }
}

async function smaller(
  context: ProxyContext,
  prepared: ReadyRequest,
  sent: Extract<SendOutcome, { type: "context-error" }>,
) {
  try {
    return await prepared.again?.(sent.limit);
  } catch (error) {
    context.emit({ type: "proxy.soft_failure", data: { part: "planning", message: errorText(error) } });
    return undefined;
  }
}

function attemptOf(sent: SendOutcome, { note }: ReadyRequest, bytes: number): UpstreamAttempt {
  const tokens = note.tokensSent ?? 0;
  if (sent.type === "failure") return { tokens, bytes, error: sent.failure.code };
  const error = sent.type === "context-error" ? "context_limit" : undefined;
  return { tokens, bytes, status: sent.answer.status, ...optional("error", error) };
}

function deliverSent(sent: SendOutcome, res: ServerResponse, client: AnswerReader): Promise<Delivery> | Delivery {
  if (sent.type === "failure") return answerFailure(res, sent.failure, client);
  return sent.type === "answer" ? deliverAnswer(sent.answer, res, client) : deliverRefusal(sent, res, client);
}

function mark({ clock }: ProxyContext, course: Course, stage: string): void {
  const now = clock.monotonic();
  course.timings[stage] = now - course.start - Object.values(course.timings).reduce((a, b) => a + b, 0);
}
