// What waits for your yes: accept it, let it replace an older memory, or reject it.
import { useState } from "preact/hooks";
import { type MemoryShape, memoryList } from "../../../src/schema/api/memory.ts";
import { address, call } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { Choice } from "../../part/form.tsx";

export function Review({ record, resolve }: { record: MemoryShape; resolve(body: object): Promise<void> }) {
  const [old, setOld] = useState("");
  const near = useResource(record.id, (signal) =>
    call(memoryList, address("/api/memory/records", { q: record.subject, status: "active", all: "true", limit: 20 }), {
      signal,
    }),
  );
  const others = near.value?.items.filter(({ id }) => id !== record.id) ?? [];
  return (
    <div class="review">
      <p>Waiting for your review. Agents do not see it yet.</p>
      <p class="inline">
        <button type="button" class="primary" onClick={() => void resolve({ how: "accept" })}>
          Accept
        </button>
        <button type="button" onClick={() => void resolve({ how: "reject" })}>
          Reject
        </button>
      </p>
      {others.length > 0 && (
        <p class="inline">
          <Choice
            label="Older memory"
            value={old}
            options={[
              ["", "Or replace an older memory…"],
              ...others.map(({ id, fact }) => [id, fact.slice(0, 80)] as const),
            ]}
            onChange={setOld}
          />
          <button type="button" disabled={old === ""} onClick={() => void resolve({ how: "replace", old })}>
            Replace
          </button>
        </p>
      )}
    </div>
  );
}
