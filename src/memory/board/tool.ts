// context_board: the one way in which agents reach the board. The default main agent does not hold it.
import * as z from "zod";
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import { CAPACITY, CROWDED, ROOMY } from "../../schema/board.ts";
import { ownTool } from "../../schema/own-tool.ts";
import type { RowStore } from "../../store/unit.ts";
import { defineTool, failure, success, type Tool, type ToolContext, type ToolOutcome } from "../../tool/contract.ts";
import type { Redactor, SecretFilter } from "../secret/filter.ts";
import { type BoardRefusal, checkItem, checkName, NAME_RULE } from "./check.ts";
import description from "./context_board.md";
import type { BoardItem, BoardPlace, BoardWriter } from "./item.ts";
import { EMPTY_BOARD, renderBoard } from "./render.ts";
import { listItems } from "./row.ts";
import { putItem, readItem, removeItem } from "./store.ts";

const boardCommands = ["get_board", "get", "add", "prune"] as const;
export type BoardCommand = (typeof boardCommands)[number];

export type BoardToolParts = {
  place: BoardPlace;
  /** Asked at each call; the failure is told to the model. */
  store: () => Promise<Result<RowStore, Failure>>;
  redactor: Redactor;
  redact: SecretFilter;
  now: () => string;
  /** Who writes; absent: this holder may only look. */
  writer?: (context: ToolContext) => BoardWriter;
  /** Why this command may not be carried out any more: a run's limits. */
  refuse?: (command: BoardCommand) => { code: string; message: string } | undefined;
  /** After every command, whatever became of it. Must not throw. */
  onDone?: (command: BoardCommand, outcome: string) => void;
};

type Input = { command: string; src?: string; name?: string; description?: string; context?: string };

export function contextBoardTool(parts: BoardToolParts): Tool {
  return defineTool<Input>({
    ...ownTool("context_board"),
    description: description.replace("{{capacity}}", `${CAPACITY}`),
    // Any text: what is wrong with a command is said in this tool's own words.
    input: z.strictObject({
      command: z.string().meta({ enum: boardCommands }),
      src: z
        .string()
        .meta({ enum: ["agent", "user"] })
        .optional(),
      name: z.string().optional(),
      description: z.string().optional(),
      context: z.string().optional(),
    }) as z.ZodType<Input>,
    planMode: true,
    permissions: () => [],
    lane: () => "context_board",
    async run(input, context) {
      const command = boardCommands.find((one) => one === input.command);
      if (!command) return refused(`there is no command "${input.command}"; commands: ${boardCommands.join(", ")}`);
      const limit = parts.refuse?.(command);
      const answer = limit
        ? failure(limit.code, `Not done, for this is ${limit.message}.`)
        : await answerTo(parts, command, input, context);
      parts.onDone?.(command, answer.type === "success" ? "success" : answer.code);
      return answer;
    },
  });
}

const refused = (what: string): ToolOutcome => failure("invalid_inputs", `${what}; ${NAME_RULE}. Nothing was done.`);
const refusal = ({ code, message }: BoardRefusal): ToolOutcome => failure(code, `${message} Nothing was done.`);

const NEEDED: Record<BoardCommand, readonly (keyof Input)[]> = {
  get_board: [],
  get: ["src", "name"],
  add: ["name", "description", "context"],
  prune: ["name"],
};

async function answerTo(
  parts: BoardToolParts,
  command: BoardCommand,
  input: Input,
  context: ToolContext,
): Promise<ToolOutcome> {
  const missing = NEEDED[command].filter((field) => input[field] === undefined);
  if (missing.length > 0) return refused(`${command} needs ${missing.join(", ")}`);
  const writer = parts.writer?.(context);
  const opened = await parts.store();
  if (!opened.ok) return failure("store_failed", `${opened.error.what} Nothing was done.`);
  const { value: store } = opened;
  if (command === "get_board") {
    const items = await store.read(() => listItems(parts.place));
    if (!items.ok) return failed(items.error);
    if (items.value.length === 0) return success(EMPTY_BOARD);
    return success(renderBoard(parts.place, items.value, parts.redact), { isBlock: true });
  }
  if (command === "get") return get(parts, store, input);
  if (!writer) return failure("read_only", `You may only read the board: get_board and get. Nothing was done.`);
  return command === "add" ? add(parts, store, input, writer) : prune(parts, store, input, writer);
}

async function get(parts: BoardToolParts, store: RowStore, { src = "", name = "" }: Input): Promise<ToolOutcome> {
  if (src !== "agent" && src !== "user") return refused(`src is agent or user, not "${src}"`);
  const checked = checkName(parts.redactor, name);
  if (!checked.ok) return refusal(checked.error);
  const item = await readItem(store, parts.place, { src, name: checked.value, at: parts.now() });
  if (!item.ok) return failed(item.error);
  if (!item.value) return failure("not_found", `There is no item with src ${src} and name ${name} on this board.`);
  return success(parts.redact(item.value.content));
}

async function add(parts: BoardToolParts, store: RowStore, input: Input, writer: BoardWriter): Promise<ToolOutcome> {
  const { name = "", description: about = "", context = "" } = input;
  const checked = checkItem(parts.redactor, { name, description: about, content: context }, "context");
  if (!checked.ok) return refusal(checked.error);
  const { text, redactions } = checked.value;
  const stored = await putItem(store, parts.place, { src: "agent", text, at: parts.now() }, writer);
  if (!stored.ok) return failed(stored.error);
  const { value: outcome } = stored;
  switch (outcome.type) {
    case "stored":
      return success(
        [
          `${text.name} is ${outcome.isNew ? "stored" : "replaced"}: it is there for future sessions.`,
          redactions > 0 ? `Secrets redacted: ${redactions}.` : "",
          outcome.items >= CROWDED ? `The board has ${outcome.items} of ${CAPACITY} items: prune to ${ROOMY}.` : "",
        ]
          .filter(Boolean)
          .join(" "),
      );
    case "board_full":
      return failure(
        "board_full",
        outcome.userItems >= CAPACITY
          ? `The board has ${CAPACITY} items, all of them the user's, and only the user can remove them. Nothing was stored.`
          : `The board has ${CAPACITY} items: prune first, to ${ROOMY} or fewer. Nothing was stored.`,
      );
    case "changed_since":
      return failure("changed_since", changedSince(text.name, outcome.now));
    default:
      return failure("store_failed", "Nothing was stored."); // asked for without conditions
  }
}

async function prune(parts: BoardToolParts, store: RowStore, input: Input, writer: BoardWriter): Promise<ToolOutcome> {
  const checked = checkName(parts.redactor, input.name ?? "");
  if (!checked.ok) return refusal(checked.error);
  const { value: name } = checked;
  const removed = await removeItem(store, parts.place, { name, at: parts.now() }, writer);
  if (!removed.ok) return failed(removed.error);
  const { value: outcome } = removed;
  if (outcome.type === "removed") return success(`${name} is deleted; ${outcome.items} of ${CAPACITY} are left.`);
  if (outcome.type === "changed_since") return failure("changed_since", changedSince(name, outcome.now));
  if (outcome.type === "user_item")
    return failure("user_item", `${name} is an item of the user: it cannot be pruned here.`);
  return failure("not_found", `There is no agent item ${name} on this board.`);
}

/** Metadata only: the text is for `get`. */
function changedSince(name: string, now: BoardItem | undefined): string {
  const present = now
    ? `It is now version ${now.version}, written by ${now.author} at ${now.updatedAt}.`
    : "It was removed.";
  return `${name} was changed by somebody else since you began. ${present} Nothing was overwritten: leave it as it is.`;
}

const failed = ({ what }: Failure): ToolOutcome => failure("store_failed", `${what} Nothing was changed.`);
