// Unmanaged requests through real servers: every way in which either side can break.
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { errors } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import { closeAll, get, pool, raw, rawUpstream, relaying, upstream } from "./forward-fixture.ts";

afterEach(closeAll);

const HEAD = "HTTP/1.1 200 OK\r\n";
const small = { limits: { firstByteMs: 150, silenceMs: 150 } };
/** A silence that is soon over, for upstreams that have spoken: their first byte may take its time on a busy machine. */
const patient = { limits: { firstByteMs: 30_000, silenceMs: 1000 } };

describe("what breaks", () => {
  it.each([
    ["reset before the head", undefined],
    ["refused connection", "refused"],
  ])("X89 %s is a 502 in the format's shape", async (_name, refused) => {
    const live = await rawUpstream((socket) => socket.resetAndDestroy());
    const origin = refused ? "http://127.0.0.1:1" : live;
    const { url, delivered } = await relaying(origin, { wire: "anthropic" });
    const got = await get(`${url}/v1/messages?key=hidden`, { method: "POST", body: randomBytes(200_000) });
    expect(got.status).toBe(502);
    expect(got.raw[got.raw.indexOf("x-everlong-error") + 1]).toBe("upstream_unreachable");
    const { error, type } = JSON.parse(got.body.toString());
    expect([type, error.type]).toEqual(["error", "api_error"]);
    expect(error.message).toMatch(/nothing is lost/i);
    expect(got.body.toString()).not.toContain("hidden");
    expect(await delivered[0]).toMatchObject({ outcome: "failed", failure: "upstream_unreachable" });
  });

  it.each([
    ["502 Bad Gateway", ""],
    ["401 Unauthorized", "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"],
  ])(
    "X89 an upload that is still coming gets its %s, and its connection serves the next request",
    async (status, early) => {
      let calls = 0;
      const origin = await rawUpstream((socket) => {
        calls += 1;
        if (calls > 1) socket.end(`${HEAD}Content-Length: 4\r\n\r\nnext`);
        else if (early === "") socket.resetAndDestroy();
        else socket.write(early);
      });
      const { url } = await relaying(origin);
      const client = connect(Number(new URL(url).port), "127.0.0.1");
      let got = "";
      client.on("data", (chunk) => {
        got += chunk.toString();
      });
      const until = async (text: string) => {
        while (!got.includes(text)) await new Promise((more) => client.once("data", more));
      };
      client.write(`POST / HTTP/1.1\r\nHost: me\r\nContent-Length: 300000\r\n\r\n${"x".repeat(100_000)}`);
      await until(status);
      client.write("x".repeat(200_000));
      client.write("GET / HTTP/1.1\r\nHost: me\r\n\r\n");
      await until("next");
      client.destroy();
    },
  );

  it("X109 a redirect is neither followed nor forwarded", async () => {
    let followed = 0;
    const elsewhere = await upstream((_req, res) => {
      followed += 1;
      res.end();
    });
    const origin = await upstream((_req, res) => void res.writeHead(302, { location: elsewhere }).end());
    const got = await get((await relaying(origin)).url);
    expect([got.status, got.raw[got.raw.indexOf("x-everlong-error") + 1], followed]).toEqual([
      502,
      "upstream_redirect",
      0,
    ]);
    expect(got.raw.join().toLowerCase()).not.toContain("location");
  });

  it("X10 silence before the first byte is a 504", async () => {
    const got = await get((await relaying(await rawUpstream(() => undefined), small)).url);
    expect([got.status, got.raw[got.raw.indexOf("x-everlong-error") + 1]]).toEqual([504, "upstream_timeout"]);
  });

  it("X10 a connection that is not made in time is a 504", async () => {
    const dispatcher = pool({ connect: (_options, done) => done(new errors.ConnectTimeoutError(), null) });
    const got = await get((await relaying("http://127.0.0.1:9", {}, dispatcher)).url);
    expect(got.status).toBe(504);
  });

  it.each([
    ["reset", "Content-Length: 99", "reset", "upstream_broken"],
    ["short body", "Content-Length: 99", "end", "upstream_broken"],
    ["chunks without their end", "Transfer-Encoding: chunked", "end", "upstream_broken"],
    ["reset of a body without length", "X-None: 1", "reset", "upstream_broken"],
    ["silence", "Content-Length: 99", "silence", "upstream_silent"],
  ])("X87 %s on the way resets the client after the bytes that came", async (_name, header, fault, failure) => {
    const origin = await rawUpstream(async (socket) => {
      socket.write(`${HEAD}${header}\r\n\r\n${header.includes("chunked") ? "5\r\nhello\r\n" : "hello"}`);
      await sleep(30);
      if (fault === "reset") socket.resetAndDestroy();
      if (fault === "end") socket.end();
    });
    const { url, delivered } = await relaying(origin, fault === "silence" ? patient : {});
    const got = await get(url);
    expect([got.status, got.body.toString(), got.broken]).toEqual([200, "hello", "ECONNRESET"]);
    expect(await delivered[0]).toEqual({ outcome: "incomplete", status: 200, bytes: 5, failure });
  });

  it("X87 a client of HTTP/1.0, who knows no length, is reset too", async () => {
    const origin = await rawUpstream(async (socket) => {
      socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);
      await sleep(30);
      socket.destroy();
    });
    const { url } = await relaying(origin);
    await expect(raw(url, "GET / HTTP/1.0\r\nHost: me\r\n\r\n")).rejects.toThrow("ECONNRESET");
  });

  it.each(["before the head", "within the body"])(
    "X88 a client that leaves %s ends the upstream's call",
    async (when) => {
      const closed = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      const origin = await rawUpstream((socket) => {
        socket.on("end", () => closed.resolve());
        if (when !== "before the head") socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);
        asked.resolve();
      });
      const { url, delivered } = await relaying(origin);
      const { port } = new URL(url);
      const client = connect(Number(port), "127.0.0.1", () => client.write("GET / HTTP/1.1\r\nHost: me\r\n\r\n"));
      if (when === "before the head") await asked.promise;
      else await new Promise((resolve) => client.once("data", resolve));
      client.destroy();
      await closed.promise;
      expect(await delivered[0]).toMatchObject({ outcome: "incomplete", failure: "client_gone" });
    },
  );

  it("X88 a client that leaves within its upload leaves no whole request upstream", async () => {
    const ended = Promise.withResolvers<boolean>();
    const origin = await upstream((req) => {
      req
        .resume()
        .on("close", () => ended.resolve(req.complete))
        .on("error", () => undefined);
    });
    const { url } = await relaying(origin);
    const client = connect(Number(new URL(url).port), "127.0.0.1", async () => {
      client.write("POST / HTTP/1.1\r\nHost: me\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
      await sleep(50);
      client.destroy();
    });
    expect(await ended.promise).toBe(false);
  });

  it("X86 an answer that comes before the upload is through is delivered", async () => {
    const origin = await upstream((req, res) => {
      res.writeHead(401).end("no");
      req.resume();
    });
    const got = await get((await relaying(origin)).url, { method: "POST", body: randomBytes(5_000_000) });
    expect([got.status, got.body.toString()]).toEqual([401, "no"]);
  });

  it("X87 undici as the client sees an error, not an end", async () => {
    const origin = await rawUpstream(async (socket) => {
      socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);
      await sleep(30);
      socket.end();
    });
    const { url } = await relaying(origin);
    const { body } = await pool().request({ origin: url, path: "/", method: "GET" });
    await expect(body.text()).rejects.toThrow();
  });

  it("XE9 an upstream is paused while the client does not read, and all arrives when it does", async () => {
    const piece = randomBytes(65_536);
    const pieces = 400;
    let written = 0;
    const origin = await upstream(async (_req, res) => {
      res.writeHead(200);
      for (; written < pieces; written++) if (!res.write(piece)) await new Promise((next) => res.once("drain", next));
      res.end();
    });
    // A silence that the client itself causes is none of the upstream's.
    const { url, delivered } = await relaying(origin, patient);
    const got = await new Promise<number>((resolve, reject) => {
      request(url, { agent: false }, async (res) => {
        res.pause();
        await sleep(1500);
        expect(written).toBeLessThan(pieces / 2);
        let bytes = 0;
        for await (const chunk of res as AsyncIterable<Buffer>) bytes += chunk.length;
        resolve(bytes);
      })
        .on("error", reject)
        .end();
    });
    expect(got).toBe(pieces * piece.length);
    expect(await delivered[0]).toMatchObject({ outcome: "complete", bytes: got });
  });

  it("X92 an unmanaged codex gets 400 for 413, others get what came", async () => {
    const origin = await upstream((_req, res) => void res.writeHead(413).end("too big"));
    const codex = await get((await relaying(origin, { family: "codex", wire: "openai-responses" })).url);
    expect([codex.status, JSON.parse(codex.body.toString()).error.code]).toEqual([400, "context_length_exceeded"]);
    const other = await get((await relaying(origin, { family: "claude" })).url);
    expect([other.status, other.body.toString()]).toEqual([413, "too big"]);
  });
});
