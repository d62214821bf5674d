// Programs of the system that plant faults: used when they work here, a named skip when not, a failure when they are required.
import { spawnSync } from "node:child_process";

const probes = {
  strace: ["strace", "-f", "-o", "/dev/null", "true"],
  unshare: ["unshare", "-rn", "true"],
  "a small disk": ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt && nsenter -t $$ -m true"],
};

/** True when a test that needs the tool must be left out. */
export function lacks(tool: keyof typeof probes): boolean {
  const [program = "", ...args] = probes[tool];
  if (spawnSync(program, args).status === 0) return false;
  console.log(`skipped: ${tool} does not work here`);
  return process.env["EVERLONG_TEST_REQUIRE_FAULTS"] !== "1";
}
