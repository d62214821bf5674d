// What a Graphiti server knows about a message, as a block before it; a server that fails or is late is left out.
import { rememberedChars } from "../../context/fragment/remembered.ts";
import { repositoryKey } from "../../host/git.ts";
import type { GraphitiClient } from "../../memory/graphiti/client.ts";
import { GraphitiRecall, recallQuery, recallScopes } from "../../memory/graphiti/recall.ts";
import { mayConnect } from "../../memory/graphiti/state.ts";
import type { MessageInput } from "../../session/turn-input.ts";
import { groupsOf, userGroup } from "../graph/feed.ts";
import { graphitiClient } from "../graph/graphiti.ts";
import { graphitiStateOf, serverOf } from "../graph/graphiti-gate.ts";
import type { SessionResources } from "../session/resources.ts";

type GraphitiBlockServices = Pick<SessionResources, "workspace" | "main"> & { model: { promptLimit: number } };

export class GraphitiBlock {
  readonly #services: GraphitiBlockServices;
  readonly #recall = new GraphitiRecall();
  #client: GraphitiClient | undefined;

  constructor(services: GraphitiBlockServices) {
    this.#services = services;
  }

  /** Undefined: there is nothing to show. */
  async before({ content, display }: MessageInput, signal: AbortSignal): Promise<string | undefined> {
    const { workspace, main, model } = this.#services;
    const { values } = workspace.settings;
    const server = serverOf(workspace);
    if (!values["memory.graphiti.recall.enabled"] || server === undefined) return undefined;
    if (!mayConnect(await graphitiStateOf(workspace))) return undefined;
    if (this.#client?.endpoint !== server) this.#client = graphitiClient(workspace, server);
    const text = workspace.redact(display ?? content);
    const scopes = recallScopes(values["memory.graphiti.recall.scopes"], text);
    const place = { session: main.id, repository: workspace.redact(repositoryKey(main.state.context.cwd)) };
    const groups = [...groupsOf(workspace, place), userGroup(workspace)].filter(({ scope }) => scopes.includes(scope));
    const limits = {
      timeoutMs: values["memory.graphiti.recall.timeoutMs"],
      maxFacts: values["memory.graphiti.recall.maxFacts"],
      maxChars: rememberedChars("graph", model.promptLimit, values["memory.graphiti.recall.maxChars"]),
      includeExpired: values["memory.graphiti.recall.includeExpired"],
    };
    const outcome = await this.#recall.ask(this.#client, { groups, query: recallQuery(text), limits }, signal);
    if (!outcome) return undefined;
    main.publish("graphiti.recall", { scopes: outcome.scopes, shown: outcome.shown });
    if (outcome.failure !== undefined)
      main.publish("soft_failure", {
        part: "graphiti",
        code: "graphiti_recall",
        message: outcome.failure,
        sessionId: main.id,
      });
    return outcome.block;
  }
}
