// The whole text of something that was trimmed, at the place where it is stored, with what was said around it.
import { recallItemView } from "../../../src/schema/api/recall.ts";
import { address, call } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { setParams } from "../../app/route.ts";
import { Loaded } from "../../part/state.tsx";
import { Text } from "../../part/text.tsx";

export function StoredItem({ session, place }: { session: string; place: string }) {
  const item = useResource(`${session} ${place}`, (signal) =>
    call(recallItemView, address(`/api/recall/items/${encodeURIComponent(`${session}:${place}`)}`, { around: 1 }), {
      signal,
    }),
  );
  return (
    <section class="stored" aria-label={`Stored item ${place}`} data-ref={place}>
      <div class="head">
        <h3>Stored as {place}</h3>
        <button type="button" class="quiet" onClick={() => setParams({ ref: undefined })}>
          Close
        </button>
      </div>
      <Loaded of={item}>
        {({ item: { text }, around = [] }) => (
          <>
            <pre class="block-text">
              <Text>{text}</Text>
            </pre>
            {around.length > 0 && (
              <details>
                <summary>What was said around it</summary>
                {around.map((passage, index) => (
                  <div key={index} class={passage.ref === place ? "block is-current" : "block"}>
                    <p class="block-head">
                      <code>{passage.ref}</code> <span class="faint">{passage.sourceType}</span>
                    </p>
                    <pre class="block-text">
                      <Text>{passage.text.slice(0, 2000)}</Text>
                    </pre>
                  </div>
                ))}
              </details>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
