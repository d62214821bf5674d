// Starts the gateway: Node's HTTP server with its limits, gateway.json beside it, and an end that drains.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { isLoopbackHost } from "../base/address.ts";
import { errorCode, errorText, type Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { openDoor } from "./door.ts";
import { type GatewayFile, removeGatewayFile, writeGatewayFile } from "./gateway-file.ts";
import type { GatewayOptions } from "./options.ts";

export type Gateway = {
  /** `http://127.0.0.1:4747`, as a caller on this machine writes it. */
  address: string;
  startedAt: string;
  /** A fresh one-time link to the dashboard. */
  link(): string;
  /** Stops accepting, lets requests finish within the drain time, resets the rest, stores what is to be stored. */
  close(): Promise<void>;
};

const MAX_HEADER_BYTES = 32 * 1024;
const HEADERS_MS = 10_000;
/** This is longer than clients keep a connection: they close it, so no request meets a closing one. */
const IDLE_MS = 120_000;

export async function startGateway(options: GatewayOptions): Promise<Result<Gateway, Failure>> {
  if (!isLoopbackHost(options.host) && options.allowedHosts.length === 0) return fail(unnamed(options.host));
  const headersTimeout = options.headersMs ?? HEADERS_MS;
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout,
    connectionsCheckingInterval: Math.min(1000, headersTimeout),
    requestTimeout: 0, // a body's pace is judged by who reads it
    keepAliveTimeout: IDLE_MS,
    requireHostHeader: false, // the gate says it in our words
  });
  server.maxHeadersCount = 0; // their bytes are limited; none may vanish
  const listening = await listen(server, options);
  if (!listening.ok) return listening;
  const { pid } = process;
  const startedAt = new Date().toISOString();
  const address = addressOf(options.host, listening.value);
  const file: GatewayFile = { pid, address, version: options.version, startedAt };
  const door = openDoor(server, options, file);
  const close = async (): Promise<void> => {
    await door.drain();
    removeGatewayFile(options.home, file);
    await options.proxy.close();
  };
  const written = await writeGatewayFile(options.home, file);
  if (written.ok) return ok({ address, startedAt, link: door.link, close });
  await close();
  return written;
}

/** Any address is reached through loopback from this machine. */
export function addressOf(host: string, port: number): string {
  const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

function listen(server: Server, { host, port }: GatewayOptions): Promise<Result<number, Failure>> {
  return new Promise((resolve) => {
    server.once("error", (error) => resolve(fail(cannotListen(host, port, error))));
    server.listen({ host, port }, () => resolve(ok((server.address() as AddressInfo).port)));
  });
}

const cannotListen = (host: string, port: number, error: Error): Failure => ({
  code: errorCode(error) === "EADDRINUSE" ? "port_taken" : "cannot_listen",
  what: `The gateway cannot listen on ${host}:${port}: ${errorText(error)}.`,
  data: "Nothing was started.",
  next: "Choose another port with --port, or another address with --host.",
  exit: 1,
});

const unnamed = (host: string): Failure => ({
  code: "hosts_unset",
  what: `${host} can be reached from other machines, but gateway.allowedHosts names no host.`,
  data: "Nothing was started.",
  next: "Name it: everlong settings set gateway.allowedHosts NAME. Clients will need the gateway token.",
  exit: 2,
});
