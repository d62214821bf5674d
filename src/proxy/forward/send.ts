// The managed way: bytes of ours go out, the answer is watched, and a refusal for size is known before the client has seen a byte.
import { Transform } from "node:stream";
import { within } from "../../base/abort.ts";
import type { ContextLimit } from "../../model/contract.ts";
import { recogniseOverflow } from "../../model/overflow.ts";
import type { WireName } from "../../schema/model.ts";
import { type Observation, Observer } from "../observe/observer.ts";
import { NoTerminalEvent } from "./deliver.ts";
import {
  type AnswerWatch,
  exchange,
  type Limits,
  type UpstreamAnswer,
  type UpstreamCall,
  type UpstreamFailure,
} from "./exchange.ts";

export type SendOptions = {
  wire: WireName;
  limits: Limits;
  signal: AbortSignal;
  /** An event stream that ends without its terminal event is broken off. */
  strict: boolean;
  /** Keep the answer's records. */
  collect: boolean;
  /** Look for a context error; without it nothing is held back. */
  recognise?: { promptLimit: number; estimatedTokens?: number };
};

/** `status` is the answer's; the body is decoded, or the error of a stream as JSON. */
export type SizeRefusal = { status: number; body: string };

/** What was seen is known once the answer is delivered or discarded. */
type Answered = { answer: UpstreamAnswer; observed: () => Promise<Observation> };
export type SendOutcome =
  | ({ type: "answer" } & Answered)
  /** The answer can still be delivered, or discarded. */
  | ({ type: "context-error"; limit: ContextLimit; refused: SizeRefusal } & Answered)
  | { type: "failure"; failure: UpstreamFailure };

/** An error's body is read up to this size; a larger one passes on. */
const MAX_ERROR_BYTES = 1_048_576;
/** The opening events of a Responses stream repeat instructions and tools, twice. */
const MAX_HELD_BYTES = 524_288;
const HOLD_MS = 1000;

export async function send(bytes: Buffer, target: UpstreamCall, options: SendOptions): Promise<SendOutcome> {
  const { wire, recognise } = options;
  const exchanged = await exchange(target, bytes, options.limits, options.signal);
  if (!exchanged.ok) return { type: "failure", failure: exchanged.error };
  const { status, headers } = exchanged.value;
  const observer = new Observer({ wire, status, headers, collect: options.collect });
  const holdBytes = recognise === undefined ? 0 : status >= 400 ? MAX_ERROR_BYTES : observer.opens ? MAX_HELD_BYTES : 0;
  const observed = (): Promise<Observation> => observer.seen();
  if (recognise === undefined || holdBytes === 0) {
    // Whoever delivers reads what went wrong from the stream itself.
    exchanged.value.body.on("error", () => undefined).once("close", () => observer.cut());
    return { type: "answer", answer: { ...exchanged.value, watch: alongside(observer, options.strict) }, observed };
  }
  const watched = watch(exchanged.value, observer, options.strict, holdBytes);
  const answered: Answered = { answer: { ...exchanged.value, body: watched.body }, observed };
  const body = status >= 400 ? await wholeError(watched, observer) : await openingError(watched, observer);
  const limit = body === undefined ? undefined : recogniseOverflow({ ...recognise, body, ...errorStatus(status) });
  if (body !== undefined && limit) return { type: "context-error", limit, refused: { status, body }, ...answered };
  return { type: "answer", ...answered };
}

/** Undefined when it is too large or broke off: then it passes on, or resets the client, as it came. */
async function wholeError({ settled }: Watched, observer: Observer): Promise<string | undefined> {
  return (await settled) === "whole" ? observer.text() : undefined;
}

async function openingError({ settled }: Watched, observer: Observer): Promise<string | undefined> {
  await within(Promise.race([observer.opened, settled]), HOLD_MS);
  return observer.refusal;
}

function errorStatus(status: number): { status?: number } {
  return status >= 400 ? { status } : {};
}

/** How the holding back ended: all is there, no more can be held, or there will be no more. */
type Settled = "whole" | "full" | "broken";
type Watched = { body: Transform; settled: Promise<Settled> };

/** Nothing is held back: the chunks go to the client first, and are read along. */
function alongside(observer: Observer, strict: boolean): AnswerWatch {
  return {
    write: (chunk) => observer.write(chunk),
    end() {
      const read = observer.end();
      // Only the end of a stream that is to be judged waits for the copy.
      if (!strict || observer.terminal() !== false) return true;
      return read.then(() => observer.terminal() !== false);
    },
  };
}

/** The same bytes, read along. Nothing flows to the client until someone reads, so holding back is waiting with that. */
function watch(answer: UpstreamAnswer, observer: Observer, strict: boolean, heldBytes: number): Watched {
  const settled = Promise.withResolvers<Settled>();
  let bytes = 0;
  const body = new Transform({
    ...(heldBytes > 0 ? { readableHighWaterMark: heldBytes } : {}),
    transform(chunk: Buffer, _encoding, callback) {
      observer.write(chunk);
      bytes += chunk.length;
      if (bytes >= heldBytes) settled.resolve("full");
      callback(null, chunk);
    },
    flush(callback) {
      const read = observer.end().then(() => settled.resolve("whole"));
      // Only the end of a stream that is to be judged waits for the copy.
      if (!strict || observer.terminal() !== false) callback();
      else void read.then(() => callback(observer.terminal() === false ? new NoTerminalEvent() : null));
    },
    destroy(error, callback) {
      observer.cut();
      settled.resolve("broken");
      callback(error);
    },
  });
  // Whoever delivers reads what went wrong from the stream itself.
  const source = answer.body.on("error", (error) => body.destroy(error));
  source.once("close", () => {
    if (!source.readableEnded) body.destroy(source.errored ?? new Error("the answer broke off"));
  });
  body.on("error", () => undefined).once("close", () => source.destroy());
  source.pipe(body);
  return { body, settled: settled.promise };
}
