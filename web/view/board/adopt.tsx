// Items of other branches of the same repository: take one over.
import { useState } from "preact/hooks";
import { boardView } from "../../../src/schema/api/board.ts";
import { type CallProblem, call, nothing } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { Choice } from "../../part/form.tsx";
import { Loaded, Trouble } from "../../part/state.tsx";
import { Text } from "../../part/text.tsx";
import { type BoardAt, boardPath } from "./place.ts";

type AdoptProps = {
  place: BoardAt;
  others: readonly BoardAt[];
  own: readonly { src: string; name: string }[];
  adopted(): void;
};

export function Adopt({ place, others, own, adopted }: AdoptProps) {
  const branches = others.filter(
    ({ repository, branch }) => repository === place.repository && branch !== place.branch,
  );
  const [from, setFrom] = useState(branches[0]?.branch ?? "");
  if (branches.length === 0) return <p class="soft">No other branch of this repository has a board.</p>;
  return (
    <div class="stack">
      <Choice label="Branch" value={from} options={branches.map(({ branch }) => [branch, branch])} onChange={setFrom} />
      <Branch key={from} place={place} from={{ ...place, branch: from }} own={own} adopted={adopted} />
    </div>
  );
}

function Branch({ place, from, own, adopted }: Omit<AdoptProps, "others"> & { from: BoardAt }) {
  const board = useResource(boardPath(from), (signal) => call(boardView, boardPath(from), { signal }));
  const [problem, setProblem] = useState<CallProblem>();
  const adopt = async (item: { src: string; name: string }): Promise<void> => {
    const body = { from: from.branch, src: item.src, name: item.name };
    const answer = await call(nothing, boardPath(place, "/adopt"), { method: "POST", body });
    setProblem(answer.ok ? undefined : answer.error);
    if (answer.ok) adopted();
  };
  return (
    <Loaded of={board}>
      {({ items }) => {
        const missing = items.filter((item) => !own.some(({ src, name }) => src === item.src && name === item.name));
        return (
          <>
            {problem && <Trouble problem={problem} />}
            {missing.length === 0 && <p class="soft">This board already has everything from that branch.</p>}
            <ul class="items">
              {missing.map((item) => (
                <li key={`${item.src}/${item.name}`}>
                  <div class="head">
                    <h3>
                      <Text>{item.name}</Text>
                    </h3>
                    <button type="button" class="quiet" onClick={() => void adopt(item)}>
                      Adopt
                    </button>
                  </div>
                  <p>
                    <Text>{item.description}</Text>
                  </p>
                </li>
              ))}
            </ul>
          </>
        );
      }}
    </Loaded>
  );
}
