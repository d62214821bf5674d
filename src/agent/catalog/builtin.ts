// The built-in agents' files, by name. `?raw` gives the text under test, the attribute in the bundle.
import codeReview from "./code-review.agent.yaml?raw" with { type: "text" };
import explore from "./explore.agent.yaml?raw" with { type: "text" };
import generalPurpose from "./general-purpose.agent.yaml?raw" with { type: "text" };
import remAgent from "./rem-agent.agent.yaml?raw" with { type: "text" };
import research from "./research.agent.yaml?raw" with { type: "text" };
import rubberDuck from "./rubber-duck.agent.yaml?raw" with { type: "text" };
import securityReview from "./security-review.agent.yaml?raw" with { type: "text" };
import task from "./task.agent.yaml?raw" with { type: "text" };

export const builtinAgents: Readonly<Record<string, string>> = {
  "code-review.agent.yaml": codeReview,
  "explore.agent.yaml": explore,
  "general-purpose.agent.yaml": generalPurpose,
  "rem-agent.agent.yaml": remAgent,
  "research.agent.yaml": research,
  "rubber-duck.agent.yaml": rubberDuck,
  "security-review.agent.yaml": securityReview,
  "task.agent.yaml": task,
};
