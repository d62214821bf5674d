// Where this home's gateway listens, for a line that only tells of it: its file and its process are looked at, nobody is asked.
import { isAlive } from "../../host/survivors.ts";
import { readGatewayFile } from "../../server/gateway-file.ts";

/** `127.0.0.1:4141`; undefined when none runs. */
export function gatewayAddress(home: string): string | undefined {
  const file = readGatewayFile(home);
  return file && isAlive(file.pid) ? file.address.replace(/^http:\/\//, "") : undefined;
}
