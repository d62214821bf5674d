// The event stream: one connection for the whole page, resumed where it broke, and what the badge says about it.
import { signal } from "@preact/signals";
import { createParser } from "eventsource-parser";
import { useEffect, useRef } from "preact/hooks";
import type { LiveEvent } from "../../src/schema/api/live.ts";
import { signedIn } from "./call.ts";

type BadgeState = { type: "live" } | { type: "reconnecting" } | { type: "stale"; since: Date };
export const live = signal<BadgeState>({ type: "reconnecting" });
/** Moves when events were missed for good: everything on screen is asked for again. */
const gaps = signal(0);

type EventName = LiveEvent["type"];
/** Names of events, and the words before their dots, which stand for all that begin so. */
export type EventStarts = readonly (EventName | (EventName extends `${infer Word}.${string}` ? Word : never))[];
type Listener = (type: string) => void;
const listeners = new Set<Listener>();

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** The gateway beats every 15 s. */
const SILENCE_MS = 40_000;
/** Until then a break is a reconnect; afterwards the page says how old it is. */
const STALE_MS = 20_000;

let last: string | undefined;
let heard = new Date();
let started = false;
let wasConnected = false;
let wake: (() => void) | undefined;

export function startLive(): void {
  if (started) return;
  started = true;
  addEventListener("online", () => wake?.());
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) wake?.();
  });
  void run();
}

async function run(): Promise<void> {
  for (let pause = FIRST_MS; ; ) {
    const before = heard.getTime();
    if (signedIn.peek() !== false) await read();
    if (heard.getTime() > before) pause = FIRST_MS;
    const isOld = Date.now() - heard.getTime() > STALE_MS;
    live.value = isOld ? { type: "stale", since: heard } : { type: "reconnecting" };
    await nap(pause);
    pause = Math.min(pause * 2, LONGEST_MS);
  }
}

function nap(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

/** Reads until the connection ends, for whatever reason. */
async function read(): Promise<void> {
  const abort = new AbortController();
  let silence = setTimeout(() => abort.abort(), SILENCE_MS);
  try {
    const headers = { accept: "text/event-stream", ...(last === undefined ? {} : { "last-event-id": last }) };
    const response = await fetch("/api/events", { headers, credentials: "same-origin", signal: abort.signal });
    if (response.status === 401) signedIn.value = false;
    if (!response.ok || !response.body) return;
    // Nobody can say what was missed where no event had come yet.
    if (wasConnected && last === undefined) gaps.value += 1;
    wasConnected = true;
    const parser = createParser({ onEvent: ({ id, event }) => take(id, event ?? "message") });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      heard = new Date();
      live.value = { type: "live" };
      clearTimeout(silence);
      silence = setTimeout(() => abort.abort(), SILENCE_MS);
      parser.feed(value);
    }
  } catch {
    // The connection broke: run() says so on the badge and tries again.
  } finally {
    clearTimeout(silence);
    abort.abort();
  }
}

function take(id: string | undefined, type: string): void {
  if (id !== undefined) {
    if (id === last) return;
    last = id;
  }
  if (type === "gateway.gap") {
    gaps.value += 1;
    return;
  }
  for (const listener of listeners) listener(type);
}

/** Calls back soon after events whose type begins with one of these, and after a gap; many at once are one call. */
export function useLive(types: EventStarts, then: () => void): void {
  const callback = useRef(then);
  callback.current = then;
  const key = types.join(" ");
  useEffect(() => {
    if (key === "") return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        callback.current();
      }, 150);
    };
    const starts = key.split(" ");
    const listener: Listener = (type) => {
      if (starts.some((start) => type.startsWith(start))) soon();
    };
    listeners.add(listener);
    let first = true;
    const stop = gaps.subscribe(() => {
      if (!first) soon();
      first = false;
    });
    return () => {
      listeners.delete(listener);
      stop();
      clearTimeout(timer);
    };
  }, [key]);
}
