// web_fetch against real servers on this machine, allowed by rule where the test needs one.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { call, testContext, textOf } from "../builtin/test-context.ts";
import { webFetchTool } from "../builtin/web-fetch.ts";
import { isPublicAddress, literalAddress } from "./address.ts";
import { htmlToText } from "./html-text.ts";

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ port: number; hits: string[] }> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.url ?? "");
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, hits };
}

function fetcher(allow: (url: string) => boolean, answer = false) {
  const asked: string[] = [];
  const tool = webFetchTool({
    allowPrivate: allow,
    askUrl: async (url) => {
      asked.push(url);
      return answer;
    },
  });
  return {
    asked,
    tool,
    get: async (url: string, more: object = {}) => textOf(await call(tool, { url, ...more }, testContext())),
  };
}

const nothing = () => false;

describe("web_fetch", () => {
  it("A6.20 gives a page as text, decompressed, with its own character set", async () => {
    const { port } = await serve((request, response) => {
      if (request.url === "/gz")
        response
          .setHeader("content-encoding", "gzip")
          .setHeader("content-type", "text/html")
          .end(gzipSync("<h1>Hi</h1>"));
      else if (request.url === "/latin")
        response.setHeader("content-type", "text/plain; charset=iso-8859-1").end(Buffer.from([0xe4]));
      else if (request.url === "/bin")
        response.setHeader("content-type", "application/zip").end(Buffer.from([1, 0, 2]));
      else if (request.url === "/gone") response.writeHead(404).end("not here");
      else response.setHeader("content-type", "text/plain").end("x".repeat(6 * 1024 * 1024));
    });
    const { get, tool } = fetcher((url) => url.startsWith(`http://127.0.0.1:${port}`));
    const base = `http://127.0.0.1:${port}`;
    expect(await get(`${base}/gz`)).toBe(`${base}/gz (200)\n\n# Hi`);
    expect(await get(`${base}/latin`)).toContain("ä");
    expect(await get(`${base}/bin`)).toMatch(/^failed: .*application\/zip/);
    expect(await get(`${base}/gone`)).toMatch(/^failed: .*404: not here/);
    const large = await get(`${base}/large`);
    expect(large).toContain("longer than 5242880 bytes");
    expect(large.length).toBeLessThan(5_243_100);
    expect(await get(`${base}/large`, { max_length: 100 })).toContain("more characters; raise max_length");
    expect(tool.permissions({ url: base }, testContext())).toEqual([{ kind: "url", url: base }]);
  });

  it("AB17 B28 SEC15 private addresses in every spelling, other schemes and names that lead here: refused, no connection", async () => {
    const { port, hits } = await serve((_, response) => void response.end("reached"));
    const { get } = fetcher(nothing);
    for (const url of [
      "http://169.254.169.254/latest/meta-data",
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://0x7f.1:${port}/`,
      `http://2130706433:${port}/`,
      `http://127.1:${port}/`,
      `http://[::1]:${port}/`,
      `http://localhost:${port}/`,
      `http://0.0.0.0:${port}/`,
      "http://[fd00::1]/",
      "http://[64:ff9b::7f00:1]/",
      "file:///etc/passwd",
      "gopher://127.0.0.1/",
      "data:text/plain,x",
      "http://user:secret@example.com/",
      "no address",
    ]) {
      expect(await get(url), url).toMatch(/^address_refused: /);
    }
    expect(hits).toEqual([]);
  });

  it("AB17 A6.20 redirects: own host goes on, another host asks again, a private one or file: is refused", async () => {
    const other = await serve((_, response) => void response.end("other host"));
    const { port, hits } = await serve((request, response) => {
      const target: Record<string, string> = {
        "/own": "/final",
        "/other": `http://127.0.0.1:${other.port}/`,
        "/meta": "http://169.254.169.254/",
        "/file": "file:///etc/passwd",
        "/loop": "/loop",
      };
      const location = target[request.url ?? ""];
      if (location) response.writeHead(302, { location }).end();
      else response.end("final");
    });
    const base = `http://127.0.0.1:${port}`;
    const here = (url: string) => url.startsWith("http://127.0.0.1:");
    const refusing = fetcher(here);
    expect(await refusing.get(`${base}/own`)).toBe(`${base}/final (200)\n\nfinal`);
    expect(refusing.asked).toEqual([]);
    expect(await refusing.get(`${base}/other`)).toMatch(/^denied: .*was not allowed/);
    expect(refusing.asked).toEqual([`http://127.0.0.1:${other.port}/`]);
    expect(other.hits).toEqual([]);
    const allowing = fetcher(here, true);
    expect(await allowing.get(`${base}/other`)).toContain("other host");
    expect(await allowing.get(`${base}/meta`)).toMatch(/^address_refused: .*169\.254\.169\.254/);
    expect(await allowing.get(`${base}/file`)).toMatch(/^address_refused: file:/);
    hits.length = 0;
    expect(await allowing.get(`${base}/loop`)).toContain("redirects more than 5 times");
    expect(hits).toHaveLength(6);
  });

  it("stops when aborted, and tells when nobody answers", async () => {
    const { port } = await serve(() => undefined);
    const { tool, get } = fetcher(() => true);
    const abort = new AbortController();
    const running = call(tool, { url: `http://127.0.0.1:${port}/` }, testContext({ signal: abort.signal }));
    setTimeout(() => abort.abort(), 50);
    expect(textOf(await running)).toMatch(/^interrupted/);
    expect(await get("http://127.0.0.1:1/")).toMatch(/^failed: .*could not be reached/);
  });
});

describe("addresses", () => {
  it("SEC15 only public ones pass", () => {
    for (const a of ["8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700:4700::1111"])
      expect(isPublicAddress(a), a).toBe(true);
    for (const a of [
      "172.16.0.1",
      "100.64.0.1",
      "224.0.0.1",
      "::",
      "fe80::1",
      "ff02::1",
      "::ffff:8.8.8.8",
      "2002:7f00:1::",
      "2001:0:1::",
      "x",
    ]) {
      expect(isPublicAddress(a), a).toBe(false);
    }
  });

  it("SEC15 no spelling of a private IPv4 address passes", () => {
    fc.assert(
      fc.property(fc.constantFrom(10, 127), fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(3), (a, b, c, d, form) => {
        const number = ((a * 256 + b) * 256 + c) * 256 + d;
        const host = [`${a}.${b}.${c}.${d}`, `${number}`, `0x${number.toString(16)}`, `[::ffff:${a}.${b}.${c}.${d}]`][
          form
        ];
        const literal = literalAddress(new URL(`http://${host}/`));
        expect(literal !== undefined && !isPublicAddress(literal)).toBe(true);
      }),
    );
  });
});

describe("htmlToText", () => {
  it("keeps what carries meaning and drops what does not", () => {
    const html = `<!doctype html><html><head><title>T &amp; U</title><style>x{}</style><script>if (a<b) alert("</p>")</script></head>
      <body><h2>Head</h2><p>One  <b>two</b>\n three&nbsp;&#8364;<br>four</p><!-- no --><ul><li>a</li><li>b <a href="/x?y=1">link</a></li></ul>
      <pre>  keep\n    this</pre><table><tr><td>1</td><td>2</td></tr></table><img alt="Pic"> 1 < 2 <a href="javascript:x()">bad</a></body></html>`;
    expect(htmlToText(html, "https://h.example/p/")).toBe(
      "T & U\n\n## Head\n\nOne two three €\nfour\n\n- a\n- b link (https://h.example/x?y=1)\n\n```\n  keep\n    this\n```\n1 | 2 |\n[image: Pic] 1 < 2 bad",
    );
  });

  it("never fails, and ends on hostile input: what grows with its square would not", () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom("<", ">", "a", '"', "'", "!--", "&#", "pre", "/", " ", "script"),
          maxLength: 300,
        }),
        (s) => void htmlToText(s, "https://x.y/"),
      ),
    );
    for (const piece of ["<a ", '<a href="', "<!--", "<pre>", "&#", "<a href=x>", "<script", "<pre> \t "])
      htmlToText(piece.repeat(2_000_000 / piece.length), "https://x.y/");
  });
});
