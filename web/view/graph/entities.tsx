// Where a look at the graph begins: the entities there are.
import { entityList } from "../../../src/schema/api/graph.ts";
import { address, call } from "../../api/call.ts";
import { useResource } from "../../api/resource.ts";
import { href } from "../../app/route.ts";
import { Empty, Loaded } from "../../part/state.tsx";
import { Line, Text } from "../../part/text.tsx";

const MOST = 200;

export function Entities({ group }: { group: string | undefined }) {
  const list = useResource(
    group ?? "",
    (signal) => call(entityList, address("/api/graph/entities", { group, limit: MOST }), { signal }),
    ["graph"],
  );
  return (
    <Loaded of={list}>
      {({ entities }) =>
        entities.length === 0 ? (
          <Empty
            title="No facts yet"
            command={'everlong promote --scope workspace --kind decision "We use PostgreSQL 17"'}
          >
            People, projects, tools and decisions that are mentioned in your sessions appear here with what is true of
            them, and since when.
          </Empty>
        ) : (
          <div class="graph-start">
            <p class="soft">Search for a fact, or open an entity:</p>
            <ul class="entities">
              {entities.map((entity) => (
                <li key={entity.uuid}>
                  <a href={href("graph", { entity: entity.uuid, group })}>
                    <Text>{entity.name}</Text>
                  </a>{" "}
                  <span class="faint">{entity.label}</span>
                  {entity.summary && <Line class="soft">{entity.summary}</Line>}
                </li>
              ))}
            </ul>
            {entities.length >= MOST && <p class="faint">There are more: search for them.</p>}
          </div>
        )
      }
    </Loaded>
  );
}
