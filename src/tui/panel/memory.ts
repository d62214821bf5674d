// Panels of what is kept for later: memories, the board of this branch, what sidekicks sent. Enter shows one whole, d deletes it.
import { ok } from "../../base/result.ts";
import { firstLine } from "../../base/text.ts";
import { changeText, itemText } from "../../command/board.ts";
import { counted } from "../../command/format.ts";
import { entryText } from "../../command/inbox.ts";
import { age, recordText } from "../../command/memory/text.ts";
import type { MemoryRecord } from "../../runtime/client/memory.ts";
import type { BoardChange, Client } from "../../runtime/client.ts";
import { countText } from "../block/figure.ts";
import type { PanelAction } from "./contract.ts";
import {
  confirmPage,
  type PageResult,
  type PanelPage,
  type PickerRow,
  pickerPage,
  type TextPage,
  textPage,
} from "./page.ts";

const MOST_RECORDS = 500;
const MOST_LETTERS = 300;
const MOST_CHANGES = 50;
/** So near to the end of its room a board says so. */
const FEW_LEFT = 2;

type Whole = {
  name: string;
  label: string;
  detail: string;
  text: string;
  deletion: string;
  /** Other keys of its page. */
  keys?: TextPage["keys"];
};

/** A row that opens the whole text, where `d` asks and then runs the deletion. */
const wholeRow = ({ name, label, detail, text, deletion, keys = {} }: Whole): PickerRow => ({
  label: firstLine(label, MOST_LETTERS),
  detail: firstLine(detail, MOST_LETTERS),
  does: {
    type: "show",
    state: textPage(name, text, {
      ...keys,
      d: { help: "deletes it", does: { type: "show", state: confirmPage(`Delete ${name}?`, deletion) } },
    }),
  },
});

export async function memoryPage(client: Client): PageResult {
  const { enabled, strategy, pending, lastFailure } = await client.memorySection.status();
  const page = await client.memory((memory) => memory.list({}, {}, MOST_RECORDS));
  if (!page.ok) return page;
  const now = Date.now();
  const rows = page.value.records.map((record) => {
    const { id, subject, fact, votes, author, status } = record;
    const facts = [`+${votes.up} -${votes.down}`, author.kind, age(record.createdAt, now)];
    const marks = [...(status.type === "active" ? [] : [status.type]), ...(votes.disputed ? ["disputed"] : [])];
    return wholeRow({
      name: `the memory about ${subject}`,
      label: subject,
      detail: `${fact}  (${[...facts, ...marks].join(", ")})`,
      text: recordText(record, []),
      deletion: `/memory delete ${id} --yes`,
      keys: memoryKeys(record),
    });
  });
  const title = [
    `Memory is ${enabled ? "on" : "off"} (${strategy})`,
    rows.length === 1 ? "1 memory" : `${rows.length}${page.value.more ? "+" : ""} memories`,
    ...(pending > 0 ? [`${pending} to review: /memory review`] : []),
    ...(lastFailure ? [`last failure ${lastFailure.code}`] : []),
  ];
  return ok(pickerPage(title.join(", "), rows, "No memories for this folder or you yet: /memory add FACT."));
}

/** What waits is decided on; what is in use is changed, voted on or looked up. */
function memoryKeys({ id, fact, status }: MemoryRecord): TextPage["keys"] {
  const run = (line: string): PanelAction<PanelPage> => ({ type: "run", line, afterwards: "reload" });
  const write = (text: string): PanelAction<PanelPage> => ({ type: "insert", text });
  const edit = { help: "edits it", does: write(`/memory edit ${id} --fact ${JSON.stringify(fact)}`) };
  if (status.type === "pending")
    return {
      a: { help: "accepts it", does: run(`/memory review --accept ${id}`) },
      x: { help: "rejects it", does: run(`/memory review --reject ${id}`) },
      r: { help: "replaces an older one", does: write(`/memory review --replace ${id} --old `) },
      e: edit,
    };
  return {
    e: edit,
    u: { help: "votes up", does: write(`/memory vote ${id} up --reason `) },
    n: { help: "votes down", does: write(`/memory vote ${id} down --reason `) },
    v: { help: "verifies", does: run(`/memory verify ${id}`) },
  };
}

export async function boardPage(client: Client): PageResult {
  const board = await client.board((access) => access.list({}));
  if (!board.ok) return board;
  const { place, items } = board.value;
  const { capacity } = await client.consolidation.status();
  const rows = items.map((item) => {
    const key = `${item.src}/${item.name}`;
    return wholeRow({
      name: key,
      label: key,
      detail: `${item.description}  (read ${item.readCount}, shown to ${counted(item.count, "session")})`,
      text: itemText(item),
      deletion: `/board remove ${key}`,
      keys: {
        e: {
          help: "edits it",
          does: { type: "insert", text: `/board edit ${key} --content ${JSON.stringify(item.content)}` },
        },
      },
    });
  });
  const full = items.length >= capacity - FEW_LEFT ? ", nearly full: remove what is not needed" : "";
  if (rows.length > 0)
    rows.push({ label: "add an item", detail: "/board add NAME", does: { type: "insert", text: "/board add " } });
  const changes = await client.board((access) => access.changes({}, { limit: MOST_CHANGES }));
  if (changes.ok && changes.value.length > 0)
    rows.push({
      label: "changes",
      detail: `${counted(changes.value.length, "change")}, each can be undone`,
      does: { type: "show", state: changesPage(changes.value) },
    });
  const empty = "This board is empty: /board add NAME --description TEXT --content TEXT.";
  const count = items.length === 0 && rows.length > 0 ? `. ${empty}` : `, ${items.length}/${capacity}${full}`;
  const title = `${place.repository}, branch ${place.branch}${count}`;
  return ok(pickerPage(title, rows, empty));
}

/** Enter on a change asks, then takes it back. */
const changesPage = (changes: readonly BoardChange[]): PanelPage =>
  pickerPage(
    "Undo which change?",
    changes.map((change): PickerRow => {
      const line = `/board undo ${change.id}`;
      return {
        label: changeText(change),
        detail: "",
        does: { type: "show", state: confirmPage("Undo this change?", line) },
      };
    }),
  );

export async function inboxPage(client: Client): PageResult {
  const inbox = await client.inbox();
  if (!inbox.ok) return inbox;
  const { entries } = inbox.value;
  const now = Date.now();
  const sorted = [...entries.filter(({ unread }) => unread), ...entries.filter(({ unread }) => !unread)];
  const rows = sorted.map((entry) =>
    wholeRow({
      name: `the entry of ${entry.senderName}`,
      label: `${entry.unread ? "unread" : "read  "}  ${entry.senderName}  ${age(entry.sentAt, now)}`,
      detail: entry.summary,
      text: entryText(entry),
      deletion: `/inbox delete ${entry.id}`,
    }),
  );
  const unread = entries.filter((entry) => entry.unread).length;
  return ok(
    pickerPage(
      `${countText(rows.length, "entry")}, ${unread} not read by the agent`,
      rows,
      "This session's inbox is empty.",
    ),
  );
}
