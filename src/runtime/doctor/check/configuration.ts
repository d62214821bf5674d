// What was configured: settings, model, embeddings, servers, hooks, and what this folder may do.
import { existsSync, readFileSync } from "node:fs";
import { isLoopback } from "../../../base/address.ts";
import { loadHooks } from "../../../hook/load.ts";
import { loadServers } from "../../../mcp/config/load.ts";
import { loadCatalog } from "../../../model/catalog.ts";
import { promptLimit } from "../../../model/limits.ts";
import { resolveModel } from "../../../model/resolve.ts";
import { fetchJson } from "../../../model/resolve-fetch.ts";
import { resolveInput } from "../../../model/resolve-input.ts";
import { listModels } from "../../../model/resolve-list.ts";
import { hasConsent, listConsents, originOf } from "../../../permission/consent.ts";
import { trustNotice } from "../../../permission/trust.ts";
import type { Settings } from "../../../settings/table.ts";
import { DatabaseView } from "../../../store/database-view.ts";
import { mcpSources } from "../../mcp/sources.ts";
import { allWell, type CheckFinding, type DoctorCheck, failure, plural, some, warning } from "../check.ts";
import type { DoctorView } from "../view.ts";

/** For checks that need the settings; the check of the settings says why they cannot be read. */
const withSettings =
  (look: (view: DoctorView, values: Settings) => CheckFinding | Promise<CheckFinding>): DoctorCheck["look"] =>
  (view) =>
    view.settings.ok ? look(view, view.settings.value.values) : allWell("not checked: the settings cannot be read");

export const settingsCheck: DoctorCheck = {
  name: "settings",
  look({ settings }) {
    if (!settings.ok) return failure(settings.error.what, settings.error.next ?? "Fix the file.");
    const { warnings, sources } = settings.value;
    const set = Object.values(sources).filter((source) => source !== "default").length;
    return warnings.length === 0
      ? allWell(`${plural(set, "setting")} changed from the default`)
      : warning(some(warnings, 10), "Fix or remove them; see everlong settings.");
  },
};

export const providerCheck: DoctorCheck = {
  name: "model",
  look: withSettings(async ({ settings, paths, online }, values) => {
    if (!settings.ok) return allWell("");
    const { catalog, warnings } = loadCatalog(
      existsSync(paths.models) ? readFileSync(paths.models, "utf8") : undefined,
    );
    const ask = online ? fetchJson : async () => ({ ok: false as const, error: "not checked; add --online" });
    const input = resolveInput(values, settings.value.sources, { catalog, fetchJson: ask });
    const resolved = await resolveModel(input);
    if (!resolved.ok) {
      const next = resolved.error.next ?? "See everlong settings.";
      return online ? failure(resolved.error.what, next) : warning(resolved.error.what, next);
    }
    const { target, reason } = resolved.value;
    const limit = promptLimit(target.entry, { setting: values["limits.maxPromptTokens"] });
    const text = `${target.id}: ${reason}; prompts up to ${limit.tokens} tokens (${limit.source.replaceAll("_", " ")})`;
    const trouble = [...warnings, ...resolved.value.warnings];
    if (trouble.length > 0) return warning(`${text}; ${trouble.join("; ")}`, "See everlong settings.");
    if (!online || input.baseUrl === undefined) return allWell(text);
    const listed = await listModels(input);
    if (!listed.ok)
      return failure(
        `${target.id}: cannot list the models at ${input.baseUrl}: ${listed.error}`,
        "Check the address and the key.",
      );
    return allWell(`${text}; the server lists ${plural(listed.value.length, "model")}`);
  }),
};

export const embeddingsCheck: DoctorCheck = {
  name: "embeddings",
  look: withSettings(async ({ paths, root }, values) => {
    const off = ["memory.enabled", "recall.enabled", "recall.semantic.enabled"].find(
      (key) => values[key as "recall.enabled"] === false,
    );
    if (off !== undefined) return allWell(`off (${off})`);
    const store = await DatabaseView.open(paths.store);
    const [choice] = store.ok ? store.value.texts("SELECT value FROM recall_note WHERE name = 'embedder'") : [];
    const waiting = store.ok ? (store.value.count("recall_waiting") ?? 0) : 0;
    if (store.ok) store.value.close();
    const name = values["recall.embedder"] === "auto" ? (choice ?? "not chosen yet") : values["recall.embedder"];
    const address =
      name === "openai"
        ? values["recall.openai.baseUrl"]
        : name === "ollama"
          ? values["recall.semantic.baseUrl"]
          : undefined;
    const text = `${name}${address === undefined ? "" : ` at ${address}`}, ${plural(waiting, "passage")} waiting`;
    if (address === undefined || isLoopback(address)) return allWell(text);
    const origin = originOf(address);
    if (!origin.ok) return failure(origin.error.what, origin.error.next ?? "Fix the address.");
    return (await hasConsent(paths.home, root, origin.value))
      ? allWell(text)
      : warning(`${text}; nothing is sent there without consent`, `everlong consent grant ${origin.value}`);
  }),
};

export const mcpCheck: DoctorCheck = {
  name: "mcp servers",
  look: withSettings(async ({ env, paths, root, trust }, values) => {
    const { servers, problems } = await loadServers(await mcpSources({ paths, root }, trust), {
      variables: env,
      disabled: values["mcp.disabled"],
      consented: (origin) => hasConsent(paths.home, root, origin),
    });
    const wrong = [...problems, ...servers.flatMap((server) => (server.type === "failed" ? [server.reason] : []))];
    if (wrong.length > 0) return warning(some(wrong, 10), "Fix the file it names.");
    const waiting = servers.filter((server) => server.type === "untrusted");
    const text =
      servers.length === 0
        ? "none"
        : some(
            servers.map(({ name, type }) => `${name} ${type}`),
            10,
          );
    return waiting.length === 0 ? allWell(text) : warning(text, "everlong trust, or everlong consent list");
  }),
};

export const hooksCheck: DoctorCheck = {
  name: "hooks",
  look: withSettings(async ({ paths, root, trust }, values) => {
    const { hooks, warnings } = await loadHooks({
      everlongHome: paths.home,
      root,
      trust,
      http: {
        allowLocalhost: values["hook.allowLocalhost"],
        allowHttpAuth: values["hook.allowHttpAuth"],
        offline: values.offline,
      },
    });
    if (warnings.length > 0)
      return warning(
        some(
          warnings.map(({ path, message }) => `${path}: ${message}`),
          10,
        ),
        "Fix the file it names.",
      );
    const off = hooks.filter((hook) => hook.off !== undefined).length;
    return allWell(
      hooks.length === 0 ? "none" : `${plural(hooks.length, "hook")}${off > 0 ? `, ${off} of them off` : ""}`,
    );
  }),
};

export const trustCheck: DoctorCheck = {
  name: "trust",
  look({ trust, root }) {
    if (trust.failure) return failure(trust.failure.what, trust.failure.next ?? "Fix the file.");
    if (trust.trusted)
      return allWell(`${root} is trusted${trust.by && trust.by !== root ? `, because ${trust.by} is` : ""}`);
    const notice = trustNotice(trust);
    return notice === undefined
      ? allWell(`${root} is not trusted and has nothing to load`)
      : warning(notice, "everlong trust");
  },
};

export const trustedFilesCheck: DoctorCheck = {
  name: "trusted files",
  look({ trust }) {
    return trust.changed.length === 0
      ? allWell("unchanged")
      : warning(
          `changed since they were trusted, so not loaded: ${some(trust.changed, 10)}`,
          "Look at the change, then run everlong trust.",
        );
  },
};

export const consentCheck: DoctorCheck = {
  name: "consent",
  async look({ paths, root }) {
    const consents = await listConsents(paths.home);
    if (!consents.ok) return failure(consents.error.what, consents.error.next ?? "Fix the file.");
    const here = consents.value.filter((consent) => consent.root === root).map(({ origin }) => origin);
    return allWell(
      here.length === 0
        ? "text from this folder goes only to the model"
        : `text from this folder may go to ${some(here, 10)}`,
    );
  },
};
