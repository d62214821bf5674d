// Instruction files below the working folder: told once a session, when a tool of the main agent first touches their folder.
import { dirname, resolve } from "node:path";
import { isRecord } from "../../base/json.ts";
import { type FoundInstructions, findInstructions } from "../../context/instruction/find.ts";
import { renderInstructions } from "../../context/instruction/render.ts";
import { isFolder, isInside } from "../../host/paths.ts";
import type { PendingNotice } from "../../session/parts.ts";
import type { SessionResources } from "../session/resources.ts";

type NestedServices = Pick<SessionResources, "workspace" | "main">;
const KIND = "instruction_discovered";

export class NestedInstructions {
  readonly #services: NestedServices;
  /** The event up to which the history has been read. */
  #last: string | undefined;
  readonly #folders = new Set<string>();
  readonly #waiting = new Map<string, FoundInstructions["files"][number]>();
  readonly #told = new Set<unknown>();

  constructor(services: NestedServices) {
    this.#services = services;
  }

  /** The same answer until its event is written. */
  news(maxTokens: number): PendingNotice[] {
    this.#readOn();
    const files = [...this.#waiting.values()].filter(({ path }) => !this.#told.has(path));
    if (files.length === 0) return [];
    const { text } = renderInstructions(
      { files, outside: [] },
      { maxTokens, trusted: this.#services.workspace.trust.trusted },
    );
    const content = `You have come to a folder with instructions of its own; they are about the files in it.\n${text}`;
    return [
      { kind: KIND, content, isBlock: true, maxTokens: maxTokens + 200, data: { paths: files.map((f) => f.path) } },
    ];
  }

  #readOn(): void {
    const { chain } = this.#services.main.state;
    // After a rewind it is read anew: what was told before stays told.
    const at = chain.findLastIndex(({ id }) => id === this.#last);
    // What an earlier process came to was told by it, but for its last turn: a long log is not read for the rest.
    const from = at === -1 ? chain.findLastIndex(({ type }) => type === "turn.end") : at;
    this.#last = chain.at(-1)?.id;
    for (const [index, event] of chain.slice(at + 1).entries()) {
      if (event.agentId !== undefined) continue;
      if (event.type === "system.notification" && event.data.kind === KIND) {
        const { paths } = event.data;
        for (const path of Array.isArray(paths) ? paths : []) this.#told.add(path);
      }
      if (event.type === "tool.execution_start" && at + 1 + index > from) this.#touched(event.data.arguments);
    }
  }

  #touched(args: unknown): void {
    const { workspace, main } = this.#services;
    const { cwd } = main.state.context;
    const path = isRecord(args) ? args["path"] : undefined;
    if (typeof path !== "string" || path === "") return;
    const place = resolve(cwd, path);
    const folder = isFolder(place) ? place : dirname(place);
    if (folder === cwd || !isInside(folder, cwd) || this.#folders.has(folder)) return;
    this.#folders.add(folder);
    const at = { home: workspace.paths.home, root: main.root };
    const above = findInstructions({ ...at, cwd }).files;
    for (const file of findInstructions({ ...at, cwd: folder }).files)
      if (!above.some((one) => one.path === file.path || one.text === file.text)) this.#waiting.set(file.path, file);
  }
}
