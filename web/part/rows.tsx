// The rows of a list with all its states: loading, failed, empty, nothing that matches, and the rows themselves.
import type { ComponentChildren } from "preact";
import { MOST_ROWS, type PagedList } from "../api/pages.ts";
import { Empty, Failed, Loading, Trouble } from "./state.tsx";
import { VirtualList } from "./virtual-list.tsx";

export function Rows<A extends { items: readonly unknown[]; next?: string | null | undefined }>(props: {
  label: string;
  list: PagedList<A>;
  id(row: A["items"][number]): string;
  height: number;
  selected?: string | undefined;
  onSelect(row: A["items"][number]): void;
  isFiltered: boolean;
  empty: ComponentChildren;
  children(row: A["items"][number]): ComponentChildren;
}) {
  const { list } = props;
  if (list.items.length === 0) {
    if (list.problem) return <Failed problem={list.problem} retry={list.reload} />;
    if (list.loading) return <Loading />;
    if (props.isFiltered) return <Empty title="Nothing matches">Change the search or the filters above.</Empty>;
    return <>{props.empty}</>;
  }
  const isFull = list.hasMore && list.items.length >= MOST_ROWS;
  return (
    <>
      {list.problem && <Trouble problem={list.problem} retry={list.reload} />}
      <VirtualList
        label={props.label}
        items={list.items}
        id={props.id}
        height={props.height}
        selected={props.selected}
        onSelect={props.onSelect}
        onNearEnd={list.more}
        onEnd={list.all}
        foot={isFull && <p class="list-foot">There are more. Search to find them.</p>}
      >
        {props.children}
      </VirtualList>
    </>
  );
}
