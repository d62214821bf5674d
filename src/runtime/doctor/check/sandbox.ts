// The operating system's wall around commands: which one works here, what it is for, and what it cannot do.
import { sandboxStatus } from "../../../host/sandbox/sandbox.ts";
import { allWell, type DoctorCheck, failure, warning } from "../check.ts";

const INSTALL = "Install bubblewrap (bwrap), or allow it to make user namespaces.";

export const sandboxCheck: DoctorCheck = {
  name: "sandbox",
  async look({ settings }) {
    const values = settings.ok ? settings.value.values : undefined;
    const mode = values?.["sandbox.mode"] ?? "auto";
    if (mode === "off") return allWell("off (sandbox.mode)");
    const { name, problem, endsStrays } = await sandboxStatus();
    const limit = endsStrays ? "" : "; a child that leaves its group may outlive its session";
    const covers = values?.["sandbox.commands"] === "all" ? "all commands" : "commands that run without asking";
    if (name !== undefined) return allWell(`${name} around ${covers}${limit}`);
    const finding = `${problem ?? "not available"}${limit}`;
    return mode === "required" ? failure(finding, INSTALL) : warning(`${finding}; only rules limit commands`, INSTALL);
  },
};
