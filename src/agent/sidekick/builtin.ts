// The built-in sidekicks' files, by name. `?raw` gives the text under test, the attribute in the bundle.
import { parseYaml } from "../file/read.ts";
import { parseSidekick, type SidekickDefinition } from "./definition.ts";
import githubContext from "./github-context.sidekick.yaml?raw" with { type: "text" };
import subconscious from "./subconscious-agent.sidekick.yaml?raw" with { type: "text" };

const files: Readonly<Record<string, string>> = {
  "subconscious-agent.sidekick.yaml": subconscious,
  "github-context.sidekick.yaml": githubContext,
};

export async function builtinSidekicks(): Promise<SidekickDefinition[]> {
  return Promise.all(
    Object.entries(files).map(async ([path, text]) => {
      const fields = await parseYaml(text);
      const parsed = fields.ok ? parseSidekick(fields.value) : fields;
      if (!parsed.ok) throw new Error(`${path}: ${parsed.error}`); // our own file
      return parsed.value;
    }),
  );
}
