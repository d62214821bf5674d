// A TCP proxy that breaks connections on purpose, each by its own rule.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** How many bytes of the answer pass before the fault: a number, or found in what has come so far. */
export type Cut = number | ((seen: Buffer) => number | undefined);

export type Chaos =
  | { mode: "pass" }
  | { mode: "latency"; ms: number }
  | { mode: "blackhole" }
  | { mode: "slice"; bytes: number }
  /** The client's bytes are not read any more. */
  | { mode: "stop-reading" }
  /** \`swallow-after\`: one way only, and without a word: what the far side answers from there on is lost. */
  | { mode: "reset-after" | "half-close-after" | "swallow-after"; cut: Cut };

export type ChaosProxy = {
  url: string;
  connections: () => number;
  /** Ends what is open, so that a new rule counts from now on. */
  drop: () => void;
  close: () => Promise<void>;
};

/** A reset may overtake bytes that the client has not read yet. */
const BEFORE_RESET_MS = 3;

/** The end of the nth server-sent event of an answer, moved by `shift` bytes. */
export function atEventEdge(n: number, shift: number): Cut {
  return (seen) => {
    let edge = 0;
    for (let found = 0; found < n; found++) {
      const at = seen.indexOf("\n\n", edge);
      if (at === -1) return undefined;
      edge = at + 2;
    }
    return seen.length >= edge + shift ? edge + shift : undefined;
  };
}

/** `rule` is asked once for each connection, counted from 0. */
export async function startChaosProxy(upstream: string, rule: (connection: number) => Chaos): Promise<ChaosProxy> {
  const target = new URL(upstream);
  const open = new Set<Socket>();
  let count = 0;
  const drop = (): void => {
    for (const socket of open) socket.destroy();
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const chaos = rule(count++);
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [client, far]) {
      open.add(socket);
      socket.setNoDelay(true);
      // Broken connections are what this is for; the other side learns of it by the close.
      socket.on("error", () => undefined).on("close", () => open.delete(socket));
    }
    client.on("close", () => far.destroy());
    if (chaos.mode === "blackhole") {
      client.resume();
      return;
    }
    if (chaos.mode === "stop-reading") {
      client.pause();
      return;
    }
    client.pipe(far);
    void relay(far, client, chaos);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => count,
    drop,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        drop();
      }),
  };
}

async function relay(
  from: Socket,
  to: Socket,
  chaos: Exclude<Chaos, { mode: "blackhole" | "stop-reading" }>,
): Promise<void> {
  let seen = Buffer.alloc(0);
  try {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      if (chaos.mode === "latency") await sleep(chaos.ms);
      if (chaos.mode === "slice")
        for (let i = 0; i < chunk.length; i += chaos.bytes) await write(to, chunk.subarray(i, i + chaos.bytes));
      else if (chaos.mode === "pass" || chaos.mode === "latency") await write(to, chunk);
      else {
        const before = seen.length;
        seen = Buffer.concat([seen, chunk]);
        const cut =
          typeof chaos.cut === "number" ? (seen.length >= chaos.cut ? chaos.cut : undefined) : chaos.cut(seen);
        await write(to, seen.subarray(before, cut));
        if (cut !== undefined) return await breakOff(from, to, chaos.mode);
      }
    }
    to.end();
  } catch {
    to.destroy(); // one side left: so does the other
  }
}

async function breakOff(
  from: Socket,
  to: Socket,
  mode: "reset-after" | "half-close-after" | "swallow-after",
): Promise<void> {
  if (mode === "swallow-after") {
    from.resume();
    return;
  }
  from.destroy();
  if (mode === "half-close-after") {
    to.end();
    return;
  }
  await sleep(BEFORE_RESET_MS);
  to.resetAndDestroy();
}

function write(to: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => to.write(bytes, (error) => (error ? reject(error) : resolve())));
}
