// A stored item as the recall engine takes it: what was said, without what the client put around it.
import type { Item, ItemPlace, Kind } from "../../memory/recall/item.ts";
import { withoutReminders } from "../history/blocks.ts";
import type { ProxyItem } from "../store/item-row.ts";
import { recallId } from "../store/session.ts";

export function recallItem(session: { no: number }, place: ItemPlace, item: ProxyItem): Item {
  return {
    id: recallId(session, item.own),
    kind: kindOf(item.type),
    role: item.role,
    text: item.role === "assistant" ? item.text : withoutReminders(item.text),
    time: Date.parse(item.time),
    seq: item.seq,
    turn: item.turn,
    index: item.item,
    place,
  };
}

function kindOf(type: string): Kind {
  if (type.startsWith("tool")) return "tool";
  return type === "compaction" ? "checkpoint" : "turn";
}
