// An item and a passage as they stand in the index.
import type { Kind } from "../item.ts";

export type IndexedItem = {
  id: number;
  key: string;
  kind: Kind;
  role: string;
  time?: number;
  seq: number;
  turn?: number;
  index?: number;
  place: number;
  home: number;
  rewound: boolean;
  path?: string;
  line?: number | string;
};
export type StoredPassage = { id: number; item: number; start: number; text: string };
