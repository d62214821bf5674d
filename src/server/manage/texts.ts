// A session's TODO, pinned text, summary and spec: read with a version, changed only by who has seen that version.
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { appendEvent } from "../../proxy/remember/events.ts";
import { type SessionTextFile, writeStateFile } from "../../proxy/state/files.ts";
import { changeSpec, readSpec, type Spec, writeSpec } from "../../proxy/state/spec.ts";
import type { ProxyStore } from "../../proxy/store/handle.ts";
import type { ProxySession } from "../../proxy/store/session.ts";
import { acquireLock } from "../../store/lock.ts";
import type { OperationOutcome, ProxyOperations, SpecView, TextView } from "./contract.ts";
import type { ManageParts } from "./parts.ts";
import { sessionNamed } from "./session-named.ts";

type TextPart = Pick<ProxyOperations, "text" | "setText" | "spec" | "setSpec">;

export function textOperations(parts: ManageParts): TextPart {
  const { store, files, redactor, settings, clock } = parts;
  const textOf = async (session: ProxySession, name: SessionTextFile): Promise<TextView> =>
    viewOf((await files.read(session.path))[name]);
  return {
    async text(id, name) {
      const session = await sessionNamed(store, id);
      return session.ok ? ok(await textOf(session.value, name)) : session;
    },
    async setText(id, name, text, ifMatch) {
      const clean = redactor.text(text);
      if (!clean.ok) return fail(unfiltered);
      return alone(store, id, async (session) => {
        const now = await textOf(session, name);
        if (ifMatch === undefined && now.text !== "") return fail(conflict("precondition_required", name, id));
        if (ifMatch !== undefined && ifMatch !== "*" && ifMatch !== now.version)
          return fail(conflict("stale", name, id));
        const written = await writeStateFile(session.path, name, clean.value.text);
        return written.ok ? ok(await textOf(session, name)) : written;
      });
    },
    async spec(id) {
      const session = await sessionNamed(store, id);
      if (!session.ok) return session;
      const spec = await readSpec(session.value.path);
      return spec.ok ? ok(specView(spec.value, settings.specMode)) : spec;
    },
    setSpec: (id, change, way) =>
      alone(store, id, async (session) => {
        const now = await readSpec(session.path);
        if (!now.ok) return now;
        const next = changeSpec(now.value, change, { time: clock.now(), way });
        if (!next) return ok(specView(now.value, settings.specMode));
        const written = await writeSpec(session.path, next);
        if (!written.ok) return written;
        const line = redactor.text(next.approved ? "approved" : `spec mode ${specView(next, settings.specMode).mode}`);
        const about = { mode: next.mode ?? "unset", approved: String(next.approved), way };
        if (line.ok) await appendEvent(store, session, { kind: "spec", text: line.value.text, about });
        return ok(specView(next, settings.specMode));
      }),
  };
}

const viewOf = (text: string): TextView => ({
  text,
  version: createHash("sha256").update(text).digest("hex").slice(0, 16),
});

export const specView = (spec: Spec | undefined, settingOn: boolean): SpecView => ({
  mode: spec?.mode ?? (settingOn ? "on" : "off"),
  approved: spec?.approved ?? false,
  ...(spec ? { time: spec.time, way: spec.way } : {}),
});

const LOCK_MS = 5000;

/** One change at a time, whichever process makes it: what was compared is what is replaced. */
async function alone<T>(
  store: ProxyStore,
  id: string,
  work: (session: ProxySession) => Promise<Result<T, Failure>>,
): OperationOutcome<T> {
  const lock = await acquireLock(join(store.locks, "proxy-state.lock"), { limitMs: LOCK_MS });
  if (!lock.ok) return lock;
  try {
    const session = await sessionNamed(store, id);
    return session.ok ? await work(session.value) : session;
  } finally {
    lock.value.release();
  }
}

const conflict = (code: "stale" | "precondition_required", name: SessionTextFile, id: string): Failure => ({
  code,
  what: code === "stale" ? `The ${name} text changed since you read it.` : `The ${name} text already exists.`,
  data: "Nothing was changed.",
  next: `Read it again (everlong proxy ${name === "pinned" ? "pin" : name} ${id}) and send If-Match with its ETag.`,
  exit: 1,
});

const unfiltered: Failure = {
  code: "filter_failed",
  what: "The text could not be checked for secrets.",
  data: "Nothing was changed.",
  next: "Try a shorter text.",
  exit: 1,
};
