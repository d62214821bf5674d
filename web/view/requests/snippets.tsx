// What memory gave to this request: each quote with its score, the parts of it, and where it stands.
import type { RequestDetail } from "../../../src/schema/api/request.ts";
import { recallLossText } from "../../../src/schema/recall-loss.ts";
import { href } from "../../app/route.ts";
import { Score } from "../../part/score.tsx";
import { Text } from "../../part/text.tsx";

export function Snippets({ value }: { value: RequestDetail }) {
  if (value.snippets.length === 0)
    return (
      <p class="soft">
        {value.recallLost
          ? `Something is missing here: ${recallLossText(value.recallLost)}.`
          : "Nothing was quoted back into this request."}
      </p>
    );
  return (
    <ol class="snippets">
      {value.snippets.map((snippet) => {
        const session = snippet.session ?? value.session;
        return (
          <li key={`${snippet.session} ${snippet.ref}`}>
            <p class="change-head">
              <a
                href={
                  session ? href("sessions", { id: session, ref: snippet.ref }) : href("recall", { q: snippet.ref })
                }
              >
                {snippet.ref}
              </a>
              <span class="soft">{snippet.why}</span>
            </p>
            <Score score={snippet.score} parts={snippet.parts} />
            {snippet.text !== undefined && (
              <pre class="change-text is-long">
                <Text>{snippet.text}</Text>
              </pre>
            )}
          </li>
        );
      })}
    </ol>
  );
}
