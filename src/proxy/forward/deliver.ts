// Hands an upstream's answer to the client byte for byte; what breaks on the way is never a clean end.
import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { errorCode } from "../../base/failure.ts";
import { discard, type UpstreamAnswer, type UpstreamFailure } from "./exchange.ts";
import { withOwn } from "./raw-headers.ts";

export type Delivery = {
  /** `failed`: the answer was one of ours. */
  outcome: "complete" | "incomplete" | "failed";
  /** Undefined: the client has seen none. */
  status?: number;
  /** So many bytes of the upstream's body were handed on. */
  bytes: number;
  failure?: UpstreamFailure["code"] | "upstream_broken" | "upstream_silent" | "no_terminal_event";
};

/** Why a managed stream is broken off although its upstream ended it cleanly. */
export class NoTerminalEvent extends Error {
  readonly code = "no_terminal_event";
}

/** Aborts when the client leaves before its answer is finished. */
export function clientGone(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const left = () => {
    if (!res.writableFinished) controller.abort();
  };
  if (res.closed || res.destroyed) left();
  else res.once("close", left);
  return controller.signal;
}

/** `own` are raw headers of ours. */
export async function deliver(
  answer: UpstreamAnswer,
  res: ServerResponse,
  own: readonly string[] = [],
): Promise<Delivery> {
  const { body, status, watch } = answer;
  let bytes = 0;
  if (res.destroyed) {
    discard(answer);
    return { outcome: "incomplete", bytes, failure: "client_gone" };
  }
  if (body.destroyed && !body.readableEnded) {
    reset(res);
    return { outcome: "incomplete", bytes, failure: causeOf(body) };
  }
  let failure: Delivery["failure"];
  body.once("error", () => {
    failure = res.destroyed ? "client_gone" : causeOf(body);
    reset(res);
  });
  const pass = (chunk: Buffer): boolean => {
    bytes += chunk.length;
    const mayGoOn = res.write(chunk);
    watch?.write(chunk);
    return mayGoOn;
  };
  const end = async (): Promise<void> => {
    const isWhole = watch?.end() ?? true;
    if (isWhole === true || (await isWhole)) return void res.end();
    failure = "no_terminal_event";
    reset(res);
  };
  res.sendDate = false;
  res.writeHead(status, answer.statusText, withOwn(answer.headers, own));
  // The head does not wait for a body that is not at hand; one that is goes out with it.
  const flush = setImmediate(() => res.flushHeaders());
  const isWhole = await handedOver(body, res, pass, end);
  clearImmediate(flush);
  if (isWhole) return { outcome: "complete", status, bytes };
  return { outcome: "incomplete", status, bytes, failure: failure ?? "client_gone" };
}

/** True when the last byte is written. Node's `pipeline` would make an exception at the end of every answer. */
function handedOver(
  body: Readable,
  res: ServerResponse,
  pass: (chunk: Buffer) => boolean,
  end: () => Promise<void>,
): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isWhole: boolean): void => {
      res.off("finish", onFinish).off("close", onClose);
      if (!isWhole && !body.destroyed) body.destroy();
      resolve(isWhole);
    };
    const onFinish = (): void => settle(true);
    const onClose = (): void => settle(res.writableFinished);
    // Whatever broke, the connection closes, and that is what is waited for.
    res.on("error", () => undefined);
    res.on("finish", onFinish).on("close", onClose);
    body
      .on("error", () => undefined)
      .once("close", () => {
        if (!body.readableEnded) reset(res);
      });
    body.on("data", (chunk: Buffer) => {
      if (!pass(chunk)) body.pause();
    });
    body.once("end", () => void end());
    res.on("drain", () => body.resume());
    if (res.destroyed || res.closed) onClose();
  });
}

/** A reset, since an answer without a length would look whole after a mere close. */
function reset(res: ServerResponse): void {
  if (res.socket) res.socket.resetAndDestroy();
  else res.destroy();
}

function causeOf(body: Readable): NonNullable<Delivery["failure"]> {
  const code = errorCode(body.errored);
  if (code === "no_terminal_event") return code;
  return code === "UND_ERR_BODY_TIMEOUT" ? "upstream_silent" : "upstream_broken";
}
