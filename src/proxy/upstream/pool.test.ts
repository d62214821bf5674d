import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { ResolveHost } from "../../base/address.ts";
import { addressProblem, upstreamUrl } from "./address.ts";
import { UpstreamPools } from "./pool.ts";

describe("addresses", () => {
  it.each([
    "169.254.169.254",
    "169.254.0.1",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "fe80::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "100.100.100.200",
    "168.63.129.16",
  ])("X108 B28 %s is refused over https too", (address) => {
    expect(addressProblem(address, false)).toMatch(/link-local or metadata/);
  });

  it("X108 plain http only to this machine and private networks", () => {
    for (const near of [
      "127.0.0.1",
      "127.9.9.9",
      "::1",
      "10.1.2.3",
      "172.31.0.1",
      "192.168.1.1",
      "fd12::1",
      "::ffff:10.0.0.1",
    ]) {
      expect(addressProblem(near, true), near).toBeUndefined();
    }
    for (const far of ["8.8.8.8", "172.32.0.1", "100.64.0.1", "2001:4860::8888", "::ffff:8.8.8.8", "64:ff9b::7f00:1"]) {
      expect(addressProblem(far, true), far).toMatch(/https/);
      expect(addressProblem(far, false), far).toBeUndefined();
    }
  });

  it.each([
    ["nonsense", "not a URL"],
    ["ftp://host", "http:// or https://"],
    ["file:///etc/passwd", "http:// or https://"],
    ["https://user:pass@host", "user name or password"],
    ["https://host/?key=1", "query or fragment"],
    ["http://8.8.8.8", "https"],
    ["http://0x08080808", "https"],
    ["https://169.254.169.254", "metadata"],
    ["https://0xa9fea9fe/v1", "metadata"],
    ["https://[::ffff:169.254.169.254]", "metadata"],
  ])("X108 SEC13 %s cannot be an upstream", (text, why) => {
    expect(upstreamUrl(text)).toMatchObject({ ok: false, error: expect.stringContaining(why) });
  });

  it("X108 names are judged when they are connected to", () => {
    for (const good of ["http://name", "https://api.example/v1/", "http://[::1]:1/v1", "http://0x7f.1:8080"]) {
      expect(upstreamUrl(good).ok, good).toBe(true);
    }
  });
});

describe("pools", () => {
  const opened: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const thing of opened.splice(0)) await thing.close();
  });

  /** Leads every name to these addresses. */
  const leadingTo =
    (...addresses: string[]): ResolveHost =>
    (_host, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );

  function pools(options: Partial<ConstructorParameters<typeof UpstreamPools>[0]> = {}): UpstreamPools {
    const made = new UpstreamPools({ timeoutMs: 5000, ...options });
    opened.push(made);
    return made;
  }
  async function server(): Promise<{ server: Server; port: number; sockets: Set<unknown> }> {
    const sockets = new Set<unknown>();
    const server = createServer((req, res) => {
      sockets.add(req.socket);
      if (req.url === "/silent") return;
      res.end("ok");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    opened.push({
      close: () => {
        server.closeAllConnections();
        return new Promise((done) => server.close(done));
      },
    });
    return { server, port: (server.address() as AddressInfo).port, sockets };
  }
  const get = async (made: UpstreamPools, url: string, path = "/") => {
    const at = new URL(url);
    const answer = await made.of(at).request({ method: "GET", path, origin: at.origin });
    return answer.body.text();
  };
  const failure = (wait: Promise<unknown>) =>
    wait.then(
      () => undefined,
      (error: Error & { code?: string }) => error,
    );

  it("X10 one keep-alive pool for each origin", async () => {
    const { port, sockets } = await server();
    const made = pools();
    for (let i = 0; i < 8; i++) expect(await get(made, `http://127.0.0.1:${port}/v1`)).toBe("ok");
    expect(sockets.size).toBeLessThanOrEqual(2); // a body's end may come a tick before its socket is free again
    expect(made.of(new URL(`http://127.0.0.1:${port}/other`))).toBe(made.of(new URL(`http://127.0.0.1:${port}`)));
    expect(made.of(new URL("https://api.example"))).not.toBe(made.of(new URL("https://other.example")));
  });

  it("X108 a name is connected to at the address that was judged", async () => {
    const { port } = await server();
    expect(await get(pools({ resolve: leadingTo("127.0.0.1") }), `http://any.example:${port}`)).toBe("ok");
    expect(await get(pools(), `http://localhost:${port}`)).toBe("ok");
  });

  it.each([
    ["http://evil.example", "169.254.169.254", "link-local or metadata"],
    ["https://evil.example", "169.254.169.254", "link-local or metadata"],
    ["https://evil.example", "::ffff:169.254.169.254", "link-local or metadata"],
    ["http://public.example", "93.184.216.34", "needs https"],
  ])("XB17 X108 %s that leads to %s is not connected to", async (url, address, why) => {
    const error = await failure(get(pools({ resolve: leadingTo("127.0.0.1", address) }), url));
    expect(error?.code).toBe("address_refused");
    expect(error?.message).toContain(why);
  });

  it("X10 an upstream that does not answer in time is a failure, and so is one that cannot be reached", async () => {
    const { port } = await server();
    const slow = await failure(get(pools({ timeoutMs: 300 }), `http://127.0.0.1:${port}`, "/silent"));
    expect(slow?.code).toBe("UND_ERR_HEADERS_TIMEOUT");
    expect((await failure(get(pools(), "http://127.0.0.1:1")))?.code).toBe("ECONNREFUSED");
  });

  it("closing ends what runs", async () => {
    const { port } = await server();
    const made = new UpstreamPools({ timeoutMs: 60_000 });
    const waiting = failure(get(made, `http://127.0.0.1:${port}`, "/silent"));
    await get(made, `http://127.0.0.1:${port}`);
    await made.close();
    expect(await waiting).toBeDefined();
  });
});
