// What a run asked the system for: connections and programs, as strace saw them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Finished, type Place, type RunOptions, run } from "./everlong.ts";

export type Traced = {
  finished: Finished;
  /** `address:port` of every connection or datagram, and the paths of name services asked. */
  reached: string[];
  /** Addresses that were listened on. */
  listened: string[];
  /** Programs that were started, ours included. */
  programs: string[];
};

const INET = /sin6?_port=htons\((\d+)\).*?"([0-9a-f.:]+)"/;
const NAME_SERVICE = /sun_path="([^"]*(?:resolve|avahi)[^"]*)"/;

export async function traced(place: Place, args: string[], options: RunOptions = {}): Promise<Traced> {
  const out = join(place.folder, "..", `trace-${Date.now()}`);
  const calls = "trace=connect,sendto,sendmsg,sendmmsg,listen,bind,execve";
  const finished = await run(place, args, {
    ...options,
    under: ["strace", "-f", "-qq", "--seccomp-bpf", "-o", out, "-e", calls],
  });
  const lines = readFileSync(out, "utf8").split("\n");
  const where = (line: string): string[] => {
    const inet = INET.exec(line);
    if (inet) return [`${inet[2]}:${inet[1]}`];
    const name = NAME_SERVICE.exec(line)?.[1];
    return name === undefined ? [] : [name];
  };
  const of = (call: RegExp) => lines.filter((line) => call.test(line));
  return {
    finished,
    reached: of(/ (connect|send(to|msg|mmsg))\(/).flatMap(where),
    listened: of(/ bind\(/).flatMap(where),
    programs: of(/ execve\(.*= 0/).map((line) => /execve\("([^"]+)"/.exec(line)?.[1] ?? ""),
  };
}
