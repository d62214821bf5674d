// Panels of what is kept for later: memories, the board of this branch, what sidekicks sent. Enter shows one whole, d deletes it.
import { ok } from "../../base/result.ts";
import { firstLine } from "../../base/text.ts";
import { itemText } from "../../command/board.ts";
import { counted } from "../../command/format.ts";
import { entryText } from "../../command/inbox.ts";
import { age, recordText } from "../../command/memory/text.ts";
import type { Client } from "../../runtime/client.ts";
import { countText } from "../block/figure.ts";
import { confirmPage, type PageResult, type PickerRow, pickerPage, textPage } from "./page.ts";

const MOST_RECORDS = 500;
const MOST_LETTERS = 300;
/** So near to the end of its room a board says so. */
const FEW_LEFT = 2;

type Whole = { name: string; label: string; detail: string; text: string; deletion: string };

/** A row that opens the whole text, where `d` asks and then runs the deletion. */
const wholeRow = ({ name, label, detail, text, deletion }: Whole): PickerRow => ({
  label: firstLine(label, MOST_LETTERS),
  detail: firstLine(detail, MOST_LETTERS),
  does: {
    type: "show",
    state: textPage(name, text, {
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
    });
  });
  const full = items.length >= capacity - FEW_LEFT ? ", nearly full: remove what is not needed" : "";
  const title = `${place.repository}, branch ${place.branch}, ${items.length}/${capacity}${full}`;
  return ok(pickerPage(title, rows, "This board is empty: /board add NAME --description TEXT --content TEXT."));
}

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
