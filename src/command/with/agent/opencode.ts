// opencode: settings of its own kind in one variable, joined to what the user has there.
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { isRecord } from "../../../base/json.ts";
import { fail, ok } from "../../../base/result.ts";
import { badBase, rootFor, usable } from "../base.ts";
import { argument, pastGateway, type Row, refusal, set, type User, type Vendor } from "../row.ts";

const CONTENT = "OPENCODE_CONFIG_CONTENT";
const PROVIDERS: Readonly<Record<Vendor, { name: string; version: string }>> = {
  openai: { name: "openai", version: "/v1" },
  anthropic: { name: "anthropic", version: "/v1" },
  gemini: { name: "google", version: "/v1beta" },
};
const VENDORS = Object.keys(PROVIDERS) as Vendor[];

type Tree = { [key: string]: unknown };

export const opencode: Row = {
  command: "opencode",
  install: "npm install -g opencode-ai",
  bases(user) {
    const theirs = contentOf(user);
    if (!theirs) return fail(unreadable);
    const bases = VENDORS.flatMap((vendor) => {
      const own = ownBase(theirs, vendor);
      return own === undefined ? [] : [[vendor, own] as const];
    });
    const bad = bases.find(([, own]) => !usable(own));
    return bad ? fail(badBase(`${CONTENT}, provider ${PROVIDERS[bad[0]].name},`)) : ok(Object.fromEntries(bases));
  },
  plan(asked) {
    const theirs = contentOf(asked);
    if (!theirs) return fail(unreadable);
    const model = argument(asked.args, "-m", "--model") ?? chosenModel(asked, theirs);
    const provider = model?.split("/")[0];
    if (provider !== undefined && !VENDORS.some((vendor) => PROVIDERS[vendor].name === provider))
      return fail(pastGateway("opencode", `The model ${model} belongs to the provider "${provider}"`, otherProvider));
    const ours = VENDORS.map((vendor) => {
      const { name, version } = PROVIDERS[vendor];
      const root = rootFor(asked, vendor, ownBase(theirs, vendor));
      return [name, { options: { baseURL: root + version } }];
    });
    return ok({ env: { [CONTENT]: JSON.stringify(merged(theirs, { provider: Object.fromEntries(ours) })) } });
  },
};

const otherProvider = `Use a model of openai, anthropic or google, or give that server as provider.openai.options.baseURL in ${CONTENT}.`;

/** What the user's settings choose where no argument does. */
function chosenModel({ home, read }: User, theirs: Tree): string | undefined {
  const paths = ["opencode.json", "opencode.jsonc"].map((name) => join(home, ".config", "opencode", name));
  const trees = [theirs, ...paths.map((path) => parse(read(path) ?? "", [], { allowTrailingComma: true }) as unknown)];
  return trees.map((tree) => (isRecord(tree) ? tree["model"] : undefined)).find((model) => typeof model === "string");
}

/** The user's value; undefined when it is no settings object. Comments are allowed there. */
function contentOf({ env }: User): Tree | undefined {
  const text = set(env, CONTENT);
  const value: unknown = text === undefined ? {} : parse(text, [], { allowTrailingComma: true });
  return isRecord(value) ? value : undefined;
}

function ownBase(theirs: Tree, vendor: Vendor): string | undefined {
  const base = at(theirs, "provider", PROVIDERS[vendor].name, "options", "baseURL");
  return typeof base === "string" && base.trim() !== "" ? base : undefined;
}

function merged(theirs: Tree, ours: Tree): Tree {
  const joined = Object.entries(ours).map(([key, value]) => {
    const known = theirs[key];
    return [key, isRecord(known) && isRecord(value) ? merged(known, value) : value];
  });
  return { ...theirs, ...Object.fromEntries(joined) };
}

const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);

const unreadable = refusal(
  "config_unreadable",
  `${CONTENT} is set and holds no JSON object.`,
  "Correct it, or unset it.",
);
