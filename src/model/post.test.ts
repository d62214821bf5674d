// One POST over node's own HTTP: what the calls of models rely on, as fetch had it.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { PlainHeaders } from "./plain-headers.ts";
import { post } from "./post.ts";

async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
}
const send = (url: URL, headers: Record<string, string> = {}) =>
  post(url, { headers: new PlainHeaders(headers), body: "hällo", signal: AbortSignal.timeout(20_000) });

it("A2.1 the body goes out whole, headers by any case once, and a compressed answer comes back plain", async () => {
  const url = await serve(async (request, response) => {
    const said = `${await text(request)} ${request.headers["content-length"]} ${request.headers["x-a"]}`;
    response.writeHead(200, { "content-encoding": "gzip", "x-b": "c" }).end(gzipSync(said));
  });
  const answer = await send(url, { "X-A": "1", "x-a": "2" });
  expect([answer.status, answer.headers.get("X-B"), await text(answer.body)]).toEqual([200, "c", "hällo 6 1, 2"]);
});

it.each(["", "none", "utf-8"])("A2.1 an answer whose encoding is called %j is read as it is", async (encoding) => {
  const url = await serve((_request, response) => response.writeHead(200, { "content-encoding": encoding }).end("yes"));
  expect(await text((await send(url)).body)).toBe("yes");
});

it("N49 a redirect is an answer, a wrong port and a dead server are network errors with their cause", async () => {
  const url = await serve((_request, response) => response.writeHead(302, { location: "/elsewhere" }).end());
  expect((await send(url)).status).toBe(302);
  await expect(send(new URL("http://127.0.0.1:25/"))).rejects.toMatchObject({ cause: { message: "bad port" } });
  const gone = await serve((request) => request.socket.destroy());
  await expect(send(gone)).rejects.toMatchObject({ name: "TypeError", cause: { code: "ECONNRESET" } });
  const unsendable: Error = await send(url, { "x-bad": "a\u0001b" }).then(
    () => new Error("sent"),
    (error) => error,
  );
  expect([unsendable.name, unsendable.cause]).toEqual(["TypeError", undefined]);
});
