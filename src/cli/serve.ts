// `everlong serve`: the gateway in the foreground, what it says at its start, a line a request, and its end.
import type { Failure } from "../base/failure.ts";
import { describeFailure } from "../base/failure.ts";
import { clip } from "../base/text.ts";
import { openGateway, type RunningGateway } from "../runtime/gateway/gateway.ts";
import { freshLink } from "../runtime/gateway/link.ts";
import type { GatewayEvent } from "../schema/event/gateway.ts";
import { EXIT, printFailure } from "./exit.ts";
import { grouped } from "./format/table.ts";
import { visible } from "./line/screen.ts";

export type ServeOptions = {
  host?: string;
  port?: string;
  harnessRootDir?: string;
  quiet?: boolean;
  json?: boolean;
  link?: boolean;
};

export async function serveCommand(options: ServeOptions): Promise<number> {
  if (options.link) return printLink();
  const opened = await openGateway({
    ...(options.host === undefined ? {} : { "gateway.host": options.host }),
    ...(options.port === undefined ? {} : { "gateway.port": options.port }),
    ...(options.harnessRootDir === undefined ? {} : { "proxy.rootDir": options.harnessRootDir }),
  });
  if (!opened.ok) return failed(opened.error, options);
  const gateway = opened.value;
  surviveBugs(gateway);
  const told = interrupted(); // before anybody can know that it runs
  print(startText(gateway, options));
  for (const warning of warningsOf(gateway)) process.stderr.write(`${warning}\n`);
  if (!options.quiet) gateway.on((event) => print(options.json ? JSON.stringify(event) : requestLine(event)));
  await told;
  await gateway.close();
  return EXIT.done;
}

async function printLink(): Promise<number> {
  const link = await freshLink();
  if (!link.ok) return printFailure(link.error);
  print(link.value);
  return EXIT.done;
}

function failed(failure: Failure, { json }: ServeOptions): number {
  if (json) print(JSON.stringify({ error: { code: failure.code, message: describeFailure(failure) } }));
  return printFailure(failure);
}

const print = (text: string | undefined): void => {
  if (text !== undefined) process.stdout.write(`${text}\n`);
};

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
    `on: ${facts.on.join(", ") || "nothing"}; off: ${facts.off.join(", ") || "nothing"}`,
    `upstreams: ${upstreams.join(", ")}`,
    "connect:",
    `  codex        codex -c model_provider=everlong -c 'model_providers.everlong={name="Everlong",base_url="${address}/v1",wire_api="responses",env_key="OPENAI_API_KEY"}'`,
    `  claude       ANTHROPIC_BASE_URL=${address} claude`,
    `  copilot      COPILOT_PROVIDER_BASE_URL=${address}/v1 copilot`,
    `  gemini       GOOGLE_GEMINI_BASE_URL=${address} gemini`,
    `  opencode     OPENCODE_CONFIG_CONTENT='{"provider":{"openai":{"options":{"baseURL":"${address}/v1"}}}}' opencode`,
    "  or simply    everlong with AGENT",
    "ctrl+c stops",
  ].join("\n");
}

function warningsOf({ facts, warnings }: RunningGateway): string[] {
  if (facts.loopback) return [...warnings];
  return [
    ...warnings,
    "This address can be reached from other machines: everyone needs the gateway token, and without TLS in front all traffic is clear text.",
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

/** A bug that no request can be blamed for is reported, and everybody else is served on. */
function surviveBugs(gateway: RunningGateway): void {
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.removeAllListeners(event);
    process.on(event, (error: unknown) => process.stderr.write(`${gateway.report(error)}\n`));
  }
}

/** The first signal; a second one ends at once. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    let first = true;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (!first) process.exit(EXIT.interrupted);
        first = false;
        resolve();
      });
    }
  });
}
