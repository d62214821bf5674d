// The layout of a list and one thing beside it; on a narrow screen the thing takes the list's place.
import type { ComponentChildren } from "preact";
import { setParams } from "../app/route.ts";

export function Split({
  list,
  detail,
  param = "id",
}: {
  list: ComponentChildren;
  /** Undefined while nothing is selected. */
  detail: ComponentChildren | undefined;
  /** The parameter that names what is selected. */
  param?: string;
}) {
  return (
    <div class={detail === undefined ? "split" : "split has-detail"}>
      <section class="split-list" aria-label="List">
        {list}
      </section>
      <section class="split-detail" aria-label="Selected" data-detail>
        {detail === undefined ? (
          <p class="state faint">Select a row to see it in full.</p>
        ) : (
          <>
            <button type="button" class="quiet back" onClick={() => setParams({ [param]: undefined })}>
              ‹ Back to the list
            </button>
            {detail}
          </>
        )}
      </section>
    </div>
  );
}
