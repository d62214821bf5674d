// A user and a gateway to plan for in tests.
import { planFor } from "./plan.ts";
import type { LaunchRequest, Plan, Refusal, Upstream } from "./row.ts";

export const U = "http://127.0.0.1:4747";
export const TOKEN = "elr-77-0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
/** Where agents of this run are sent. */
export const B = `${U}/run/${TOKEN}`;

export const vendors: readonly Upstream[] = [
  { name: "openai", url: "https://api.openai.com/v1", key: false },
  { name: "anthropic", url: "https://api.anthropic.com", key: false },
  { name: "gemini", url: "https://generativelanguage.googleapis.com", key: false },
  { name: "chatgpt", url: "https://chatgpt.com/backend-api/codex", key: false },
];

/** The same with a key of the gateway's own for each. */
export const keyed: readonly Upstream[] = vendors.map((upstream) => ({ ...upstream, key: true }));

type Given = Partial<Omit<LaunchRequest, "gateway" | "read">> & {
  upstreams?: readonly Upstream[];
  files?: Readonly<Record<string, string>>;
};

export function request({ upstreams = vendors, files = {}, ...rest }: Given = {}): LaunchRequest {
  return {
    args: [],
    env: {},
    home: "/home/u",
    run: TOKEN,
    launch: "/home/u/.everlong/with/77",
    exposed: false,
    read: (path) => files[path],
    ...rest,
    gateway: { address: U, upstreams },
  };
}

export function plan(agent: string, given: Given = {}): Plan {
  const made = planFor(agent, request(given));
  if (!made.ok) throw new Error(made.error.what);
  return made.value;
}

export function refused(agent: string, given: Given = {}): Refusal {
  const made = planFor(agent, request(given));
  if (made.ok) throw new Error("it was planned");
  return made.error;
}
