// `everlong serve` at work: what the gateway says at its start, a line a request, and its end.
import { failureText } from "../base/failure.ts";
import { optional } from "../base/optional.ts";
import { clip, visible } from "../base/text.ts";
import { home, type RunningGateway } from "../runtime/client.ts";
import type { GatewayEvent } from "../schema/event/gateway.ts";
import type { OwnProcess } from "./contract.ts";
import { grouped } from "./format.ts";

export type ServeOptions = {
  host?: string;
  port?: string;
  database?: string;
  harnessRootDir?: string;
  quiet?: boolean;
  json?: boolean;
  link?: boolean;
  open?: boolean;
};

export async function serveGateway(options: ServeOptions, own: OwnProcess): Promise<number> {
  if (options.link) return printLink(own, options);
  const opened = await home.gateway.openGateway({
    ...optional("gateway.host", options.host),
    ...optional("gateway.port", options.port),
    ...optional("gateway.database", options.database),
    ...optional("proxy.rootDir", options.harnessRootDir),
  });
  if (!opened.ok) {
    const { code } = opened.error;
    if (options.json) own.print(JSON.stringify({ error: { code, message: failureText(opened.error) } }));
    return own.fail(opened.error);
  }
  const gateway = opened.value;
  // A bug that no request can be blamed for is reported, and everybody else is served on.
  own.onBug((error) => own.warn(gateway.report(error)));
  const stopped = own.interrupted(); // before anybody can know that it runs
  own.print(startText(gateway, options));
  for (const warning of warningsOf(gateway)) own.warn(warning);
  if (options.open) await openOrSay(gateway.link(), own);
  if (!options.quiet)
    gateway.on((event) => {
      const line = options.json ? JSON.stringify(event) : requestLine(event);
      if (line !== undefined) own.print(line);
    });
  await stopped;
  await gateway.close();
  return 0;
}

async function printLink(own: OwnProcess, { open }: ServeOptions): Promise<number> {
  const link = await home.gatewayLink();
  if (!link.ok) return own.fail(link.error);
  own.print(link.value);
  if (open) await openOrSay(link.value, own);
  return 0;
}

async function openOrSay(link: string, own: OwnProcess): Promise<void> {
  if (!(await home.openLink(link))) own.warn("No program to open a browser with was found. Open the link yourself.");
}

function startText(gateway: RunningGateway, { json, quiet }: ServeOptions): string {
  const { facts, address } = gateway;
  const link = gateway.link();
  if (json) return JSON.stringify({ ...facts, link, pid: process.pid });
  return quiet ? `${address}\n${link}` : bannerText(facts, link);
}

export function bannerText(facts: RunningGateway["facts"], link: string): string {
  const { address, store } = facts;
  const upstreams = facts.upstreams.map(({ name, host, key }) => `${name} ${host}${key ? " (key set)" : ""}`);
  return [
    `Everlong ${facts.version}, gateway at ${address}`,
    `dashboard: ${link}`,
    `store: ${store.kind} ${store.path} (${grouped(store.bytes / 1024)} KB)`,
    ...(facts.team === undefined ? [] : [`team: ${facts.team}`]),
    `on: ${facts.on.join(", ") || "nothing"}; off: ${facts.off.join(", ") || "nothing"}`,
    `upstreams: ${upstreams.join(", ")}`,
    ...(facts.team === undefined ? connections(address) : FOR_MEMBERS),
    "Ctrl+C to stop",
  ].join("\n");
}

/** A team's node lets nobody in without a token. */
const FOR_MEMBERS = ["members: everlong token add NAME --tenant TENANT --user USER --scope read,write"];

function connections(address: string): string[] {
  return [
    "connect:",
    `  codex        codex -c model_provider=everlong -c 'model_providers.everlong={name="Everlong",base_url="${address}/v1",wire_api="responses",env_key="OPENAI_API_KEY"}'`,
    `  claude       ANTHROPIC_BASE_URL=${address} claude`,
    `  copilot      COPILOT_PROVIDER_BASE_URL=${address}/v1 copilot`,
    `  gemini       GOOGLE_GEMINI_BASE_URL=${address} gemini`,
    `  opencode     OPENCODE_CONFIG_CONTENT='{"provider":{"openai":{"options":{"baseURL":"${address}/v1"}}}}' opencode`,
    "  or simply    everlong with AGENT",
  ];
}

function warningsOf({ facts, warnings }: RunningGateway): string[] {
  if (facts.loopback) return [...warnings];
  return [
    ...warnings,
    "Other machines can reach this address. Clients need the gateway token; without TLS in front, traffic is not encrypted.",
  ];
}

/** Undefined for events that are no request. */
export function requestLine({ type, data }: GatewayEvent, now = new Date()): string | undefined {
  if (type !== "proxy.request") return undefined;
  const text = (value: string | undefined): string => (value === undefined ? "-" : visible(clip(value, 120)));
  const { outcome, failure, action, recallLost } = data;
  return [
    now.toTimeString().slice(0, 8),
    text(data.family),
    text(data.session),
    text(data.path),
    String(data.status ?? "-"),
    data.tokensIn === undefined ? "-" : `${grouped(data.tokensIn)} > ${grouped(data.tokensSent ?? 0)} tokens`,
    `recalled ${grouped(data.recalled ?? 0)}${recallLost === undefined ? "" : ` (lost: ${text(recallLost)})`}`,
    `stored ${grouped(data.stored ?? 0)}`,
    `+${grouped(data.addedMs ?? 0)} ms`,
    `${grouped(data.totalMs)} ms`,
    ...(failure !== undefined ? [text(failure)] : outcome !== "complete" ? [outcome] : []),
    ...(action.startsWith("skip:") ? [text(action)] : []),
  ].join("  ");
}
