// The gateway that the status line names is one whose process lives.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeGatewayFile } from "../../server/gateway-file.ts";
import { gatewayAddress } from "./address.ts";

it("F26 the address of the gateway that runs; none where its file is missing or left over", async () => {
  const home = mkdtempSync(join(tmpdir(), "everlong-gateway-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  expect(gatewayAddress(home)).toBeUndefined();
  const file = { pid: process.pid, address: "http://127.0.0.1:4141", version: "1", startedAt: "now" };
  await writeGatewayFile(home, file);
  expect(gatewayAddress(home)).toBe("127.0.0.1:4141");
  await writeGatewayFile(home, { ...file, pid: 2 ** 22 + 1 });
  expect(gatewayAddress(home)).toBeUndefined();
});
