// A session's TODO, pinned text, summary and spec: read with a version, changed only by who has seen that version.
import { createHash } from "node:crypto";
import type { Failure } from "../../base/failure.ts";
import { fail, ok } from "../../base/result.ts";
import { appendEvent } from "../../proxy/remember/events.ts";
import { readableText, type SessionTextFile, storedText } from "../../proxy/state/files.ts";
import { changeSpec } from "../../proxy/state/spec.ts";
import { parseSpec, type Spec, specLine } from "../../proxy/state/spec-file.ts";
import type { ProxyOperations, SpecView, TextView } from "./contract.ts";
import type { ManageParts } from "./parts.ts";
import { sessionNamed } from "./session-named.ts";

type TextPart = Pick<ProxyOperations, "text" | "setText" | "spec" | "setSpec">;

export function textOperations(parts: ManageParts): TextPart {
  const { store, redactor, settings, clock } = parts;
  return {
    async text(id, name) {
      const session = await sessionNamed(parts, id);
      if (!session.ok) return session;
      const texts = await store.files.texts(session.value);
      return texts.ok ? ok(viewOf(texts.value[name])) : texts;
    },
    async setText(id, name, text, ifMatch) {
      const clean = redactor.text(text);
      if (!clean.ok) return fail(unfiltered);
      const session = await sessionNamed(parts, id);
      if (!session.ok) return session;
      const written = await store.files.change<Failure>(session.value, name, (now) => {
        const seen = viewOf(readableText(now));
        if (ifMatch === undefined && seen.text !== "") return fail(conflict("precondition_required", name, id));
        if (ifMatch !== undefined && ifMatch !== "*" && ifMatch !== seen.version)
          return fail(conflict("stale", name, id));
        return storedText(clean.value.text, session.value.path);
      });
      return written.ok ? ok(viewOf(readableText(written.value))) : written;
    },
    async spec(id) {
      const session = await sessionNamed(parts, id);
      if (!session.ok) return session;
      const texts = await store.files.texts(session.value);
      return texts.ok ? ok(specView(texts.value.spec, settings.specMode)) : texts;
    },
    async setSpec(id, change, way) {
      const session = await sessionNamed(parts, id);
      if (!session.ok) return session;
      let changed: Spec | undefined;
      const written = await store.files.change<Failure>(session.value, "spec", (text) => {
        changed = changeSpec(parseSpec(text), change, { time: clock.now(), way });
        return ok(changed ? specLine(changed) : text);
      });
      if (!written.ok) return written;
      if (!changed) return ok(specView(parseSpec(written.value), settings.specMode));
      const { approved, mode } = changed;
      const line = redactor.text(approved ? "approved" : `spec mode ${specView(changed, settings.specMode).mode}`);
      const about = { mode: mode ?? "unset", approved: String(approved), way };
      if (line.ok) await appendEvent(store, session.value, { kind: "spec", text: line.value.text, about });
      return ok(specView(changed, settings.specMode));
    },
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
