// An editor for tests: the program as a real child, the protocol's own client side, and every byte of stdout kept.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import {
  type AnyMessage,
  type ClientCapabilities,
  type ClientContext,
  client,
  type InitializeResponse,
  methods,
  type NewSessionRequest,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { expect, onTestFinished } from "vitest";
import { NODE_FLAGS, type Place } from "../tool/everlong.ts";

const bin = join(import.meta.dirname, "..", "..", "bin", "everlong.js");

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export function startAcp(place: Place, args: string[] = [], env: Record<string, string> = {}): Child {
  const child = spawn(process.execPath, [...NODE_FLAGS, bin, "acp", ...args], {
    cwd: place.folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: dirname(place.home),
      EVERLONG_HOME: place.home,
      OLLAMA_HOST: "http://127.0.0.1:9",
      EVERLONG_CONSOLIDATE_ON_EXIT: "false",
      ...place.env,
      ...env,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => undefined);
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

export type Answerer = (
  request: RequestPermissionRequest,
) => RequestPermissionResponse | Promise<RequestPermissionResponse>;

export const choose = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: "selected", optionId } });

export type EditorOptions = {
  capabilities?: ClientCapabilities;
  permission?: Answerer;
  /** Further handlers: files, terminals, forms. */
  more?: (app: ReturnType<typeof client>) => void;
  args?: string[];
  env?: Record<string, string>;
  protocolVersion?: number;
};

export type Editor = {
  child: Child;
  agent: ClientContext;
  initialised: InitializeResponse;
  updates: { sessionId: string; update: SessionUpdate; at: number }[];
  asked: RequestPermissionRequest[];
  stdout: () => string;
  stderr: () => string;
  /** A new session in the place's folder. */
  session: (more?: Partial<NewSessionRequest>) => Promise<string>;
  say: (sessionId: string, text: string) => Promise<string>;
  /** Closes stdin and waits for the end. Gives the exit code. */
  leave: () => Promise<number | null>;
};

export async function openEditor(place: Place, options: EditorOptions = {}): Promise<Editor> {
  const child = startAcp(place, options.args, options.env);
  const ended = once(child, "exit");
  let stderr = "";
  child.stderr.on("data", (bytes: Buffer) => {
    stderr += bytes;
  });
  const out: Buffer[] = [];
  const heard = new PassThrough();
  child.stdout.on("data", (bytes: Buffer) => {
    out.push(bytes);
    heard.write(bytes);
  });
  child.stdout.on("end", () => heard.end());
  const stdout = () => Buffer.concat(out).toString();
  const updates: Editor["updates"] = [];
  const asked: RequestPermissionRequest[] = [];
  const app = client({ name: "test editor" })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push({ ...params, at: performance.now() });
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      return options.permission?.(params) ?? choose("reject");
    });
  options.more?.(app);
  const connection = app.connect(
    ndJsonStream(
      Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
      Readable.toWeb(heard) as ReadableStream<Uint8Array>,
    ),
  );
  const { agent } = connection;
  const initialised = await agent.request(methods.agent.initialize, {
    protocolVersion: options.protocolVersion ?? 1,
    clientCapabilities: options.capabilities ?? {},
  });
  onTestFinished(() => void expectOnlyProtocol(stdout()));
  return {
    child,
    agent,
    initialised,
    updates,
    asked,
    stdout,
    stderr: () => stderr,
    session: async (more = {}) =>
      (await agent.request(methods.agent.session.new, { cwd: place.folder, mcpServers: [], ...more })).sessionId,
    say: async (sessionId, text) =>
      (await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] })).stopReason,
    async leave() {
      child.stdin.end();
      const [code] = (await ended) as [number | null];
      return code;
    },
  };
}

/** Every line is a message of the protocol; a child that was killed may have left half of one. */
export function expectOnlyProtocol(stdout: string): void {
  for (const line of stdout.split("\n").slice(0, -1)) {
    const message = JSON.parse(line) as AnyMessage;
    expect(message).toMatchObject({ jsonrpc: "2.0" });
  }
}

export const textOf = (
  updates: Editor["updates"],
  kind: SessionUpdate["sessionUpdate"] = "agent_message_chunk",
): string =>
  updates
    .flatMap(({ update }) =>
      update.sessionUpdate === kind &&
      "content" in update &&
      !Array.isArray(update.content) &&
      update.content?.type === "text"
        ? [update.content.text]
        : [],
    )
    .join("");
