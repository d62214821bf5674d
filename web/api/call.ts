// The one way to ask the gateway: same origin, JSON, every answer checked against its shape.
import { signal } from "@preact/signals";
import * as z from "zod";
import { fail, ok, type Result } from "../../src/base/result.ts";

// Zod would try to compile its checks, which the page's own policy forbids and the browser reports.
z.config({ jitless: true });

/** Unknown until the first answer. */
export const signedIn = signal<boolean | undefined>(undefined);

export type CallProblem = {
  kind: "unreachable" | "refused" | "shape";
  status: number;
  code: string;
  /** What failed. */
  message: string;
  /** What to do about it. */
  hint: string;
  /** For a row that somebody else changed: as it is now. */
  details?: unknown;
};
export type ApiResult<T> = Result<T, CallProblem>;
type CallOptions = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  body?: unknown;
  ifMatch?: string;
  signal?: AbortSignal;
};

const errorShape = z.object({
  error: z.object({
    code: z.string().default("error"),
    message: z.string(),
    hint: z.string().default(""),
    details: z.unknown().optional(),
  }),
});
export const nothing = z.unknown();

const UNREACHABLE: CallProblem = {
  kind: "unreachable",
  status: 0,
  code: "unreachable",
  message: "The gateway does not answer.",
  hint: "Your data is safe on disk. If it was stopped, start it again with: everlong serve",
};
const odd = (path: string, status: number): CallProblem => ({
  kind: "shape",
  status,
  code: "odd_answer",
  message: `The gateway's answer to ${path.replace(/\?.*/s, "")} was not understood.`,
  hint: "Your data is not affected. If you updated Everlong, restart the gateway and reload this page.",
});

export async function call<T>(shape: z.ZodType<T>, path: string, options: CallOptions = {}): Promise<ApiResult<T>> {
  const reply = await send(path, options);
  if (!reply.ok) return reply;
  const { status, text } = reply.value;
  const value = status === 204 ? {} : parse(text);
  if (status >= 200 && status < 300) {
    signedIn.value = true;
    const fits = value === undefined ? undefined : shape.safeParse(value);
    return fits?.success ? ok(fits.data) : fail(odd(path, status));
  }
  if (status === 401 && path !== "/api/login") signedIn.value = false;
  const error = errorShape.safeParse(value);
  if (!error.success) return fail(odd(path, status));
  return fail({ kind: "refused", status, ...error.data.error });
}

type RawReply = { status: number; text: string };

async function send(path: string, options: CallOptions): Promise<ApiResult<RawReply>> {
  const { method = "GET", body, ifMatch, signal: aborted } = options;
  try {
    const response = await fetch(path, {
      method,
      credentials: "same-origin",
      redirect: "error",
      headers: {
        accept: "application/json",
        ...(method === "GET" ? {} : { "content-type": "application/json" }),
        ...(ifMatch === undefined ? {} : { "if-match": ifMatch }),
      },
      ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
      ...(aborted ? { signal: aborted } : {}),
    });
    return ok({ status: response.status, text: await response.text() });
  } catch {
    // A broken connection has no better name in a browser; whoever aborted does not read the answer.
    return fail(UNREACHABLE);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An address with a query; parameters without a value are left out. */
export function address(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): string {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  const text = new URLSearchParams(entries).toString();
  return text ? `${path}?${text}` : path;
}
