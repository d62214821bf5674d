// XE9: a stream that breaks is never ended cleanly; a client that leaves or stops reading is felt upstream.
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "./gateway.ts";
import { type Answer, call, startRawUpstream } from "./raw.ts";
import { CLIENT_NAMES, CLIENTS, type ClientName, ODD_BODIES, STREAMS } from "./wire-samples.ts";

const STREAM = { "content-type": "text/event-stream" };
const torso = (name: ClientName): string => STREAMS[name].slice(0, STREAMS[name].search(/\r?\n\r?\n/) + 2);

const ask = (gateway: TestGateway, name: ClientName, session: string): Promise<Answer> =>
  call(gateway.url + CLIENTS[name].path, {
    headers: { ...CLIENTS[name].headers, "X-Everlong-Session": session },
    body: ODD_BODIES[name],
  });

type Record = { outcome: string; failure?: string; status?: number };
async function records(gateway: TestGateway, session: string): Promise<Record[]> {
  const listed = await (await gateway.api(`/api/proxy/sessions/${session}/requests`)).json();
  return (listed as { items: Record[] }).items;
}

/** Answers by what the newest request's session says, one handler each. */
async function scripted(plan: { [session: string]: (res: ServerResponse, name: ClientName) => void }, env = {}) {
  let next: (res: ServerResponse) => void = (res) => res.end();
  const upstream = await startRawUpstream((_, res) => next(res));
  const gateway = await startGateway(upstream, { env });
  const run = (session: string, name: ClientName): Promise<Answer> => {
    next = (res) => plan[session]?.(res, name);
    return ask(gateway, name, `${session}-${name}`);
  };
  const fine = (session: string, name: ClientName): Promise<Answer> => {
    next = (res) => res.writeHead(200, STREAM).end(STREAMS[name]);
    return ask(gateway, name, `${session}-${name}`);
  };
  return { gateway, upstream, run, fine };
}

const BREAKS: { [kind: string]: (res: ServerResponse, name: ClientName) => void } = {
  reset(res, name) {
    res.writeHead(200, STREAM).write(torso(name));
    setTimeout(() => res.socket?.resetAndDestroy(), 20);
  },
  // A body without a length ends with the connection: only the reset tells that it did not.
  "reset-without-length"(res, name) {
    res.socket?.write(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n${torso(name)}`);
    setTimeout(() => res.socket?.resetAndDestroy(), 20);
  },
  "half-close"(res, name) {
    res.writeHead(200, STREAM).write(torso(name));
    setTimeout(() => res.socket?.end(), 20);
  },
  "short-body"(res, name) {
    res.socket?.end(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 5000\r\n\r\n${torso(name)}`);
  },
  "no-terminal-event"(res, name) {
    res.writeHead(200, STREAM).end(torso(name));
  },
  silence(res, name) {
    res.writeHead(200, STREAM).write(torso(name));
  },
};
const FAILURES: { [kind: string]: string } = { "no-terminal-event": "no_terminal_event", silence: "upstream_silent" };

describe("upstream breaks", () => {
  it("XE9 XB18 X87 reset, half-close, short body, silence, no terminal event: the client is reset, the record incomplete, the next request fine", async () => {
    const { gateway, run, fine } = await scripted(BREAKS, { EVERLONG_PROXY_UPSTREAM_TIMEOUT_MS: "2000" });
    for (const kind of Object.keys(BREAKS))
      for (const name of kind.includes("-") ? CLIENT_NAMES : (["chat", "responses"] as const)) {
        const answer = await run(kind, name);
        // A reset may overtake the head.
        expect([answer.end, [0, 200].includes(answer.status)], `${kind} ${name}`).toEqual(["broken", true]);
        expect(torso(name).startsWith(answer.body.toString()), `${kind} ${name}`).toBe(true);
        const next = await fine(kind, name);
        expect([next.end, next.body.toString()], `${kind} ${name}`).toEqual(["clean", STREAMS[name]]);
        const session = `${kind}-${name}`;
        expect(next.header("x-everlong-session")).toBe(session);
        await expect
          .poll(() => records(gateway, session))
          .toMatchObject([
            { outcome: "complete", status: 200 },
            { outcome: "incomplete", failure: FAILURES[kind] ?? "upstream_broken" },
          ]);
      }
  });

  it("X87 a stream with its terminal event is whole in every format, whatever comes after it", async () => {
    const { run } = await scripted({
      whole: (res, name) => void res.writeHead(200, STREAM).end(STREAMS[name]),
      // No blank line at the very end: the last event has come all the same.
      bare: (res, name) => void res.writeHead(200, STREAM).end(STREAMS[name].trimEnd()),
      comment: (res, name) => void res.writeHead(200, STREAM).end(`: hi\n\n${STREAMS[name]}: bye\n\n`),
    });
    for (const kind of ["whole", "bare", "comment"])
      for (const name of CLIENT_NAMES) expect((await run(kind, name)).end, `${kind} ${name}`).toBe("clean");
  });

  it("X87 proxy.strictStreams=off mirrors a stream without its end; so does an unmanaged request", async () => {
    const plan = { torn: BREAKS["no-terminal-event"] ?? (() => undefined) };
    const { run } = await scripted(plan, { EVERLONG_PROXY_STRICT_STREAMS: "off" });
    for (const name of CLIENT_NAMES) {
      const { end, body } = await run("torn", name);
      expect([end, body.toString()], name).toEqual(["clean", torso(name)]);
    }
    const upstream = await startRawUpstream((_, res) => res.writeHead(200, STREAM).end(torso("chat")));
    const strict = await startGateway(upstream);
    const headers = { ...CLIENTS.chat.headers, "X-Everlong-Bypass": "1" };
    expect((await call(strict.url + CLIENTS.chat.path, { headers, body: ODD_BODIES.chat })).end).toBe("clean");
  });

  it("B77 XB18 X89 before the first byte: 504 for silence, 502 for nobody there, in the format's own shape", async () => {
    const { gateway, run } = await scripted({ mute: () => undefined }, { EVERLONG_PROXY_UPSTREAM_TIMEOUT_MS: "300" });
    const shapes: { [name in ClientName]: object } = {
      chat: {
        error: { type: "server_error", code: "upstream_timeout", message: expect.stringContaining("Nothing is lost") },
      },
      responses: { error: { type: "server_error", code: "upstream_timeout" } },
      claude: { type: "error", error: { type: "timeout_error" } },
      gemini: { error: { code: 504, status: "DEADLINE_EXCEEDED" } },
    };
    const answers = await Promise.all(CLIENT_NAMES.map(async (name) => [name, await run("mute", name)] as const));
    for (const [name, answer] of answers) {
      expect([answer.status, answer.header("x-everlong-error")], name).toEqual([504, "upstream_timeout"]);
      expect(answer.json).toMatchObject(shapes[name]);
    }
    await expect
      .poll(() => records(gateway, "mute-chat"))
      .toMatchObject([{ outcome: "failed", failure: "upstream_timeout" }]);
    const alone = await startGateway({ url: "http://127.0.0.1:9" });
    const answer = await ask(alone, "claude", "alone");
    expect([answer.status, answer.header("x-everlong-error")]).toEqual([502, "upstream_unreachable"]);
    expect(answer.json).toMatchObject({ type: "error", error: { type: "api_error" } });
    await expect
      .poll(() => records(alone, "alone"))
      .toMatchObject([{ outcome: "failed", failure: "upstream_unreachable" }]);
  });
});

describe("the client leaves", () => {
  it("XE9 X88 a client that goes away ends the upstream call; the record says so", async () => {
    const left = Promise.withResolvers<void>();
    const upstream = await startRawUpstream((_, res) => {
      res.writeHead(200, STREAM).write(torso("chat"));
      res.on("close", () => left.resolve());
    });
    const gateway = await startGateway(upstream);
    const { port } = new URL(gateway.url);
    for (const when of ["body", "head"] as const) {
      const socket = connect(Number(port), "127.0.0.1");
      const headers = { Host: "127.0.0.1", ...CLIENTS.chat.headers, "X-Everlong-Session": `gone-${when}` };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const body = Buffer.from(ODD_BODIES.chat);
      socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${lines.join("")}Content-Length: ${body.length}\r\n\r\n`);
      if (when === "head") {
        socket.write(body.subarray(0, 20));
        await wait(100);
        socket.destroy();
        continue; // half a request is nobody's
      }
      socket.write(body);
      await new Promise((resolve) => socket.once("data", resolve));
      socket.destroy();
      await left.promise;
      await expect
        .poll(() => records(gateway, "gone-body"))
        .toMatchObject([{ outcome: "incomplete", failure: "client_gone" }]);
    }
    expect(upstream.seen).toHaveLength(1);
    expect((await gateway.api("/api/proxy/sessions/gone-head")).status).toBe(404);
  });

  it("XE9 X4 a reader that stops pauses its upstream, others are served, and it gets the rest when it reads on", async () => {
    const total = 64 * 1024 * 1024;
    let written = 0;
    const upstream = await startRawUpstream(({ url }, res) => {
      if (!url.includes("files")) return void res.writeHead(200, STREAM).end(STREAMS.chat);
      res.writeHead(200, { "content-length": String(total) });
      const chunk = Buffer.alloc(64 * 1024, "x");
      const more = (): void => {
        while (written < total) {
          written += chunk.length;
          if (!res.write(chunk)) return void res.once("drain", more);
        }
        res.end();
      };
      more();
    });
    const gateway = await startGateway(upstream);
    const { port } = new URL(gateway.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write("GET /v1/files/big HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    await new Promise((resolve) => socket.once("data", resolve));
    socket.pause();
    let before = -1;
    while (before !== written) {
      before = written;
      await wait(300);
    }
    expect(written, "what sockets and pipes hold, not the whole").toBeLessThan(total / 2);
    expect((await ask(gateway, "chat", "other")).end).toBe("clean");
    let got = 0;
    socket.on("data", (chunk: Buffer) => {
      got += chunk.length;
    });
    socket.resume();
    await new Promise((resolve) => socket.once("close", resolve));
    expect(got + 64 * 1024).toBeGreaterThanOrEqual(total);
    expect(written).toBe(total);
  });
});
