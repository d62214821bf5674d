// Programs of the system that plant faults: used when they work here, a named skip when not, a failure when they are required.
import { spawnSync } from "node:child_process";

const probes: Record<"strace" | "unshare", string[]> = {
  strace: ["-f", "-o", "/dev/null", "true"],
  unshare: ["-rn", "true"],
};

/** True when a test that needs the tool must be left out. */
export function lacks(tool: keyof typeof probes): boolean {
  if (spawnSync(tool, probes[tool]).status === 0) return false;
  console.log(`skipped: ${tool} does not work here`);
  return process.env["EVERLONG_TEST_REQUIRE_FAULTS"] !== "1";
}
