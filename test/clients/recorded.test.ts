// The nine clients without installing them: a stand-in looks for its address where the real client does, and sends what that one sent.
// The real ones run in `npm run test:clients`.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../tool/everlong.ts";
import { treeChanges, treeOf } from "../tool/tree-hash.ts";
import { type ClientRequest, clientRequests } from "./fixture.ts";
import { stage } from "./stage.ts";

type Row = {
  name: string;
  args?: string[];
  env: Record<string, string>;
  /** Program text: sets `root`, the address in front of the recorded path. */
  find: string;
};

const OPENAI_API_KEY = "sk-client-0123456789abcdef";
const rootOf = (variable: string): string => `const root = process.env.${variable}.replace(/\\/v1$/, "");`;

const rows: readonly Row[] = [
  {
    name: "codex",
    env: { OPENAI_API_KEY },
    find: `const [root] = /(?<=base_url=")[^"]+(?=\\/v1")/.exec(process.argv.join(" "));
           const [name, variable] = /env_http_headers=\\{"([^"]+)"="([^"]+)"/.exec(process.argv.join(" ")).slice(1);
           headers[name] = process.env[variable];`,
  },
  { name: "claude", env: { ANTHROPIC_API_KEY: "sk-ant-client-0123456789" }, find: rootOf("ANTHROPIC_BASE_URL") },
  { name: "gemini", env: { GEMINI_API_KEY: "AIzaclient0123456789" }, find: rootOf("GOOGLE_GEMINI_BASE_URL") },
  {
    name: "opencode",
    env: { OPENAI_API_KEY },
    find: `const { provider } = JSON.parse(process.env.OPENCODE_CONFIG_CONTENT);
           const root = provider.openai.options.baseURL.replace(/\\/v1$/, "");`,
  },
  { name: "qwen", env: { OPENAI_API_KEY }, find: rootOf("OPENAI_BASE_URL") },
  {
    name: "pi",
    args: ["--provider", "openai"],
    env: { OPENAI_API_KEY },
    find: `const bases = {};
           const { default: extend } = await import(process.argv[process.argv.indexOf("-e") + 1]);
           extend({ registerProvider: (name, { baseUrl }) => { bases[name] = baseUrl; } });
           const root = bases.openai.replace(/\\/v1$/, "");`,
  },
  {
    name: "copilot",
    env: { OPENAI_API_KEY, COPILOT_MODEL: "gpt-5" },
    find: rootOf("COPILOT_PROVIDER_BASE_URL"),
  },
  {
    name: "cline",
    env: {},
    find: `import { readFileSync } from "node:fs";
           const { providers } = JSON.parse(readFileSync(process.env.CLINE_PROVIDER_SETTINGS_PATH, "utf8"));
           const root = providers["openai-compatible"].settings.baseUrl.replace(/\\/v1$/, "");`,
  },
  { name: "letta", env: { OPENAI_API_KEY }, find: rootOf("LMSTUDIO_BASE_URL") },
];

const recorded = (name: string): ClientRequest => {
  const first = clientRequests().find(({ client, kind }) => client === name && /^first(?:-openai)?$/.test(kind));
  if (!first) throw new Error(`no request of ${name} was recorded`);
  return first;
};

/** Prints the address that it used, and what came back. */
function program({ find, name }: Row): string {
  const { path, query, headers, body } = recorded(name);
  return `const headers = ${JSON.stringify(headers)};
    ${find}
    const url = root + ${JSON.stringify(`${path}${query ? `?${query}` : ""}`)};
    const answer = await fetch(url, { method: "POST", headers, body: ${JSON.stringify(JSON.stringify(body))} });
    console.log(JSON.stringify({ root, status: answer.status, text: await answer.text(), token: headers["X-Everlong-Token"] }));`;
}

it.each(rows.map((row) => [row.name, row] as const))(
  "X115 %s: its request arrives as it was sent, without the run's token; home and project stay as they were",
  async (name, row) => {
    // Claude Code sends system messages amid the others, by a beta that the strict server does not know.
    const { server, place } = await stage(program(row), name, { strict: false });
    const userHome = dirname(place.home);
    const providers = { "openai-compatible": { settings: { apiKey: OPENAI_API_KEY, baseUrl: `${server.url}/v1` } } };
    const settings = join(userHome, ".cline", "data", "settings", "providers.json");
    mkdirSync(dirname(settings), { recursive: true });
    writeFileSync(settings, JSON.stringify({ version: 1, providers }));
    const before = treeOf(userHome);
    const done = await run(place, ["with", name, ...(row.args ?? [])], { env: row.env });
    expect(done.code, done.stderr).toBe(0);
    const { root, status, text, token } = done.json as { root: string; status: number; text: string; token?: string };
    expect([status, /PELI/.test(text)], text).toEqual([200, true]);
    const [sent] = server.requests;
    const { path, query, body, headers } = recorded(name);
    expect([sent?.path, sent?.query, sent?.body]).toEqual([path, query, body]);
    expect(sent?.headers["user-agent"]).toBe(headers["user-agent"]);
    const secret = token ?? /\/run\/([^/]+)/.exec(root)?.[1];
    expect(secret).toMatch(/^\S{16,}$/);
    expect(JSON.stringify(sent)).not.toContain(secret);
    expect(Object.keys(sent?.headers ?? {}).filter((header) => header.startsWith("x-everlong"))).toEqual([]);
    const changed = treeChanges(before, treeOf(userHome)).filter((change) => !/^. \/?home(?:\/|$)/.test(change));
    expect(changed).toEqual([]);
    expect(readdirSync(join(place.home, "proxy", "sessions"))).toHaveLength(1);
    expect(readdirSync(join(place.home, "with"))).toEqual([]);
  },
);
