// Several memories at once: delete them, or decide on those that wait.
import { useState } from "preact/hooks";
import type { MemoryShape } from "../../../src/schema/api/memory.ts";
import { type ApiResult, type CallProblem, call, nothing } from "../../api/call.ts";
import { Confirm } from "../../part/dialog.tsx";
import { plural } from "../../part/figure.tsx";
import { Trouble } from "../../part/state.tsx";
import { recordPath, tagOf } from "./record.ts";

type BulkProps = { records: readonly MemoryShape[]; isReview: boolean; done(): void; changed(): void };

export function Bulk({ records, isReview, done, changed }: BulkProps) {
  const [isDeleting, setDeleting] = useState(false);
  const [problem, setProblem] = useState<CallProblem>();
  /** One after the other, so that a failure names how far it went. */
  const each = async (work: (record: MemoryShape) => Promise<ApiResult<unknown>>): Promise<CallProblem | undefined> => {
    for (const [index, record] of records.entries()) {
      const answer = await work(record);
      if (answer.ok) continue;
      changed();
      return { ...answer.error, message: `${index} of ${records.length} done. ${answer.error.message}` };
    }
    done();
    changed();
    return undefined;
  };
  const resolve = async (how: "accept" | "reject"): Promise<void> =>
    setProblem(
      await each(({ id }) => call(nothing, `${recordPath(id)}/resolution`, { method: "POST", body: { how } })),
    );
  return (
    <>
      <p class="inline">
        <span class="soft">{plural(records.length, "memory", "memories")} picked</span>
        {isReview && (
          <>
            <button type="button" onClick={() => void resolve("accept")}>
              Accept
            </button>
            <button type="button" onClick={() => void resolve("reject")}>
              Reject
            </button>
          </>
        )}
        <button type="button" onClick={() => setDeleting(true)}>
          Delete
        </button>
        <button type="button" class="quiet" onClick={done}>
          Clear
        </button>
      </p>
      {problem && <Trouble problem={problem} />}
      {isDeleting && (
        <Confirm
          title={`Delete ${plural(records.length, "memory", "memories")}?`}
          action="Delete"
          onClose={() => setDeleting(false)}
          run={() =>
            each((record) => call(nothing, recordPath(record.id), { method: "DELETE", ifMatch: tagOf(record) }))
          }
        >
          Agents no longer see these. The tab Changes can bring them back.
        </Confirm>
      )}
    </>
  );
}
