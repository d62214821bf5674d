// What a caller may send that did not pass the gate: raw bytes to a real server, and how many of them it took.
import diagnostics from "node:diagnostics_channel";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { openStage, type Stage } from "./server-fixture.ts";

const stages: Stage[] = [];
const open = async (...args: Parameters<typeof openStage>): Promise<Stage> => {
  const stage = await openStage(...args);
  stages.push(stage);
  return stage;
};
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.end();
});

describe("a stranger's body", () => {
  const big = 20_000_000;
  const long = [`Content-Length: ${big}`];
  const chunked = ["Transfer-Encoding: chunked"];
  const cases: [string, string, string[], number][] = [
    ["no token", "POST /v1/chat/completions", long, 401],
    ["no token on a management route", "POST /api/proxy/search", long, 401],
    ["a wrong token", "POST /v1/messages", [...long, "x-api-key: wrong"], 401],
    ["chunks without a token", "POST /v1/chat/completions", chunked, 401],
    ["chunks with a wrong token", "POST /mcp", [...chunked, "Authorization: Bearer wrong"], 401],
    ["one who asks before sending", "POST /v1/responses", [...long, "Expect: 100-continue"], 401],
    ["a foreign name", "POST /v1/responses", [...long, "Host: evil.com"], 403],
    ["the page", "POST /", long, 413],
    ["health", "GET /healthz", chunked, 413],
    ["signing in", "POST /api/login", [...long, "Content-Type: application/json"], 413],
    ["nothing there", "PUT /nothing", long, 413],
    ["HEAD", "HEAD /api/x", long, 401],
  ];
  it("N19 SEC4 is answered, read up to 64 KiB at most, and the connection closed", async () => {
    const stage = await open({ requireToken: true });
    const server = watchSockets();
    const pourOne = async ([name, line, headers, status]: (typeof cases)[number]): Promise<void> => {
      const host = headers.some((h) => h.startsWith("Host")) ? [] : ["Host: 127.0.0.1"];
      const head = `${[`${line} HTTP/1.1`, ...host, ...headers].join("\r\n")}\r\n\r\n`;
      const { answer, sent } = await pour(stage.port, head, headers.includes(chunked[0] ?? ""), big);
      expect(answer, name).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer, name).toMatch(/\r\nconnection: close\r\n/i);
      expect(answer, name).not.toContain("100 Continue");
      expect(sent, name).toBeLessThan(big);
    };
    await Promise.all(cases.map(pourOne));
    expect(server.mostRead()).toBeLessThanOrEqual(64 * 1024 + 300);
    expect(stage.callers).toEqual([]);
    server.end();
  });

  it("N19 a short one leaves the connection open; the next request on it is judged by itself", async () => {
    const stage = await open({ requireToken: true });
    const body = "x".repeat(1000);
    const head = "POST /v1/responses HTTP/1.1\r\nHost: 127.0.0.1\r\n";
    const refused = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
    const passed = `${head}X-Everlong-Token: ${stage.token}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`;
    const socket = connect(stage.port, "127.0.0.1");
    let answer = "";
    socket.setEncoding("latin1").on("data", (text: string) => {
      answer += text;
    });
    socket.write(refused + refused + passed);
    await new Promise((resolve) => socket.once("close", resolve));
    expect([...answer.matchAll(/HTTP\/1.1 (\d+) /g)].map(([, code]) => code)).toEqual(["401", "401", "200"]);
  });

  it("N19 one that follows a right request on the same connection does not spoil its answer", async () => {
    const stage = await open({ requireToken: true });
    const server = watchSockets();
    const right = `POST /v1/responses HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Everlong-Token: ${stage.token}\r\nContent-Length: 2\r\n\r\n{}`;
    const wrong = `POST /v1/responses HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${big}\r\n\r\n`;
    const { answer } = await pour(stage.port, right + wrong, false, big);
    expect([...answer.matchAll(/HTTP\/1.1 (\d+) /g)].map(([, code]) => code)).toEqual(["200", "401"]);
    expect(server.mostRead()).toBeLessThanOrEqual(right.length + wrong.length + 64 * 1024);
    server.end();
  });
});

/** The most bytes that servers of this process took from one connection. */
function watchSockets(): { mostRead(): number; end(): void } {
  const sockets = new Set<Socket>();
  const note = (message: unknown): void => void sockets.add((message as { socket: Socket }).socket);
  diagnostics.subscribe("http.server.request.start", note);
  return {
    mostRead: () => Math.max(...[...sockets].map((socket) => socket.bytesRead)),
    end: () => void diagnostics.unsubscribe("http.server.request.start", note),
  };
}

/** Sends the head, then as much of a body as the other side takes, until that side closes. */
function pour(port: number, head: string, chunked: boolean, size: number): Promise<{ answer: string; sent: number }> {
  return new Promise((resolve) => {
    const bytes = Buffer.alloc(64_000, 0x61);
    const piece = chunked ? Buffer.concat([Buffer.from("fa00\r\n"), bytes, Buffer.from("\r\n")]) : bytes;
    let answer = "";
    let sent = 0;
    const more = (): void => {
      while (sent < size && !socket.destroyed) {
        sent += piece.length;
        if (!socket.write(piece)) return;
      }
    };
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(head);
      more();
    });
    socket.on("drain", more);
    socket.setEncoding("latin1").on("data", (text: string) => {
      answer += text;
    });
    socket.on("error", () => undefined); // the close that follows is what is waited for
    socket.on("close", () => resolve({ answer, sent }));
  });
}
