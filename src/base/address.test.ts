// What counts as this machine: the same answer at every place that asks.
import { expect, it } from "vitest";
import { isLoopback, isLoopbackHost } from "./address.ts";

const HERE = ["localhost", "LocalHost", "127.0.0.1", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]"];
/** Names that a resolver may lead anywhere, addresses of others, and none. */
const ELSEWHERE = ["a.localhost", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "0.0.0.0", "[::2]"];

it("A2.2 M34 X105 only addresses of this machine are loopback, as a URL and as a host", () => {
  for (const host of HERE)
    expect([host, isLoopback(`http://${host}:1/x`), isLoopbackHost(host)]).toEqual([host, true, true]);
  for (const host of ELSEWHERE)
    expect([host, isLoopback(`http://${host}`), isLoopbackHost(host)]).toEqual([host, false, false]);
  expect(isLoopback("http://0x7f.1")).toBe(true);
  for (const host of ["::1", "::ffff:127.0.0.1"]) expect(isLoopbackHost(host)).toBe(true);
  for (const text of ["", "x", "127.0.0.1"]) expect(isLoopback(text)).toBe(false);
  for (const host of ["", "127.1", "::2"]) expect(isLoopbackHost(host)).toBe(false);
});
