// The strategy that keeps the records of a place, made from this machine's settings, trust and consent.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import type { Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import type { Result } from "../../base/result.ts";
import { gitContext, repositoryKey } from "../../host/git.ts";
import { chooseStrategy, type Makers, type StrategySettings } from "../../memory/record/choose.ts";
import type { Place, StrategyChoice } from "../../memory/record/contract.ts";
import { newMemoryId } from "../../memory/record/id.ts";
import type { JsonlOptions } from "../../memory/record/strategy-jsonl.ts";
import type { ServiceOptions } from "../../memory/record/strategy-service.ts";
import { workTree } from "../../memory/record/work-tree.ts";
import type { WorkTree } from "../../memory/record/write-contract.ts";
import { hasConsent } from "../../permission/consent.ts";
import { realPath } from "../../permission/path.ts";
import type { Database } from "../../store/sqlite.ts";
import { redactorOf, secretKey, type Workspace } from "../workspace.ts";

/** The one user of a home. */
export const LOCAL_USER = "local";

type StrategyParts = {
  workspace: Workspace;
  place: Place;
  /** store.db, when it is needed. */
  open: () => Promise<Result<Database, Failure>>;
  tree?: WorkTree | undefined;
  /** Else what memory.enabled says. */
  enabled?: boolean;
} & Pick<ServiceOptions, "onUnsupported"> &
  Pick<JsonlOptions, "onWritten" | "onWarning" | "optimise">;

/** Whose records a folder sees. */
export const placeIn = ({ redact }: Pick<Workspace, "redact">, folder: string): Place => ({
  repository: redact(repositoryKey(folder)),
  user: LOCAL_USER,
});

const RECENT_MS = 150;

/** What the last commits touched is asked once for each commit; unknown when git takes too long. */
export function treeOf(
  workspace: Pick<Workspace, "root" | "env" | "secrets">,
  folder: string,
  limitMs = RECENT_MS,
): WorkTree {
  const real = (path: string): string => realPath(path, "/") ?? path;
  const [root, cwd] = [real(workspace.root), real(folder)];
  let tree = workTree({ root, cwd });
  let lastQuestion: string | undefined;
  return {
    check: (citation) => tree.check(citation),
    isNear: (path) => tree.isNear(path),
    async look() {
      const { headCommit } = gitContext(root);
      // In the root itself everything is near.
      if (root === cwd || headCommit === undefined || headCommit === lastQuestion) return;
      lastQuestion = headCommit;
      const { recentFiles } = await import("../../host/git-recent.ts");
      const recent = await recentFiles(root, { env: { base: workspace.env, secrets: workspace.secrets }, limitMs });
      tree = workTree({ root, cwd, ...optional("recent", recent) });
    },
  };
}

export const strategySettings = ({ settings: { values } }: Pick<Workspace, "settings">): StrategySettings => ({
  enabled: values["memory.enabled"],
  strategy: values["memory.strategy"],
  injected: values["memory.injected"],
  agenticMemory: values["features.agenticMemory"],
  serviceUrl: values["memory.service.url"],
  memoryInRepo: values["features.memoryInRepo"],
});

/** Only the chosen one's code is loaded. */
export function strategyFor(parts: StrategyParts): Promise<StrategyChoice> {
  const settings = strategySettings(parts.workspace);
  return chooseStrategy({ ...settings, enabled: parts.enabled ?? settings.enabled }, makersOf(parts));
}

function makersOf(parts: StrategyParts): Makers {
  const { workspace, place, open, tree, onUnsupported, onWritten, onWarning, optimise } = parts;
  const { paths, root, trust, redact } = workspace;
  const { values } = workspace.settings;
  const { home } = paths;
  const shown = { redact, clock: systemClock, ...optional("tree", tree) };
  return {
    async embedded() {
      const { embeddedStrategy } = await import("../../memory/record/embedded/strategy.ts");
      // A home without a store has no records; it is not made for looking.
      const exists = () => existsSync(paths.store);
      return embeddedStrategy({ ...shown, open, exists, hashKey: secretKey(home), user: place.user });
    },
    async injected() {
      const { injectedStrategy } = await import("../../memory/record/injected.ts");
      const prompt = values["memory.injected"] ?? "";
      return injectedStrategy({ prompt, votes: values["memory.injectedVote"], clock: systemClock });
    },
    async service() {
      const { openService } = await import("../../memory/record/strategy-service.ts");
      const { readToken } = await import("../../server/token.ts");
      const local = readToken(home);
      return openService({
        url: values["memory.service.url"],
        token: values["memory.service.token"],
        localToken: () => (local.ok ? local.value : undefined),
        hmacKey: values["memory.service.hmacKey"],
        timeoutMs: values["memory.service.timeoutMs"],
        place,
        userScope: values["memory.userScope"],
        trusted: trust.trusted,
        hasConsent: (url) => hasConsent(home, root, url),
        now: () => systemClock.now(),
        ...optional("onUnsupported", onUnsupported),
      });
    },
    async jsonl() {
      const { openJsonl } = await import("../../memory/record/strategy-jsonl.ts");
      return openJsonl({
        ...shown,
        root,
        home,
        locks: join(home, "locks"),
        // By its own flag, the file is the one that the flag is about.
        seed: /^(?:true|1|on|yes)$/i.test(workspace.env["copilot_swe_agent_memory_in_repo_store"] ?? ""),
        repository: place.repository ?? "",
        trusted: trust.trusted,
        redactor: redactorOf(workspace),
        newId: () => newMemoryId(),
        ...optional("onWritten", onWritten),
        ...optional("onWarning", onWarning),
        ...optional("optimise", optimise),
      });
    },
  };
}
