// Files and terminals of the editor: unsaved text is seen, changes go through it, and what it does not have is the disk's.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { type client, methods, RequestError } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { bash, oneCall, readIn, scene, toolResults, writeIn } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { choose, openEditor } from "./editor.ts";

type App = ReturnType<typeof client>;
const FILES = { fs: { readTextFile: true, writeTextFile: true } };

/** An editor with unsaved buffers; what it has not opened it does not know. */
function buffers(texts: Record<string, string>) {
  const written: string[] = [];
  const more = (app: App) =>
    app
      .onRequest(methods.client.fs.readTextFile, ({ params: { path } }) => {
        const content = texts[path];
        if (content === undefined) throw RequestError.resourceNotFound(path);
        return { content };
      })
      .onRequest(methods.client.fs.writeTextFile, ({ params: { path, content } }) => {
        written.push(path);
        texts[path] = content;
        return {};
      });
  return { texts, written, more };
}

/** Terminals as an editor has them: real children of its own. */
function terminals() {
  const lines: { command: string; args: string[]; env: Record<string, string> }[] = [];
  const open = new Map<
    string,
    { output: string; exit: Promise<{ exitCode: number | null; signal: string | null }>; kill: () => void }
  >();
  const released: string[] = [];
  const get = (id: string) => {
    const terminal = open.get(id);
    if (!terminal) throw RequestError.resourceNotFound(id);
    return terminal;
  };
  const more = (app: App) =>
    app
      .onRequest(methods.client.terminal.create, ({ params: { command, args = [], env = [], cwd } }) => {
        const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
        lines.push({ command, args, env: variables });
        const child = spawn(command, args, { cwd: cwd ?? "/", env: { OPENAI_API_KEY: "of the editor", ...variables } });
        const terminal = {
          output: "",
          exit: new Promise<{ exitCode: number | null; signal: string | null }>((resolve) =>
            child.on("close", (exitCode, signal) => resolve({ exitCode, signal })),
          ),
          kill: () => void child.kill("SIGKILL"),
        };
        for (const stream of [child.stdout, child.stderr])
          stream.on("data", (bytes: Buffer) => {
            terminal.output += bytes;
          });
        const terminalId = `term-${open.size + 1}`;
        open.set(terminalId, terminal);
        return { terminalId };
      })
      .onRequest(methods.client.terminal.output, ({ params }) => ({
        output: get(params.terminalId).output,
        truncated: false,
      }))
      .onRequest(methods.client.terminal.waitForExit, ({ params }) => get(params.terminalId).exit)
      .onRequest(methods.client.terminal.kill, ({ params }) => {
        get(params.terminalId).kill();
        return {};
      })
      .onRequest(methods.client.terminal.release, ({ params }) => {
        released.push(params.terminalId);
        return {};
      });
  return { lines, released, more };
}

describe("files of the editor", () => {
  it("Y6 what is not saved is seen, and edits go through the editor", async () => {
    const { place, server } = await scene([
      oneCall("view", { path: "a.txt" }),
      oneCall("edit", { path: "a.txt", old_str: "unsaved", new_str: "changed" }),
      oneCall("create", { path: "sub/new.txt", file_text: "new\n" }),
      oneCall("view", { path: "disk.txt" }),
      oneCall("create", { path: "a.txt", file_text: "over it" }),
      text("done"),
    ]);
    writeIn(place, "a.txt", "on the disk\n");
    writeIn(place, "disk.txt", "only there\n");
    const path = join(place.folder, "a.txt");
    const editor = buffers({ [path]: "unsaved text\n" });
    const face = await openEditor(place, { capabilities: FILES, permission: () => choose("once"), more: editor.more });
    expect(await face.say(await face.session(), "work")).toBe("end_turn");
    const results = toolResults(server.requests[5]).map((r) => r.text);
    expect(results[0]).toBe("1\tunsaved text");
    expect(results[3]).toBe("1\tonly there");
    expect(results[4]).toContain("already exists");
    expect(editor.texts).toEqual({ [path]: "changed text\n", [join(place.folder, "sub/new.txt")]: "new\n" });
    // The editor saves when its user does.
    expect(readIn(place, "a.txt")).toBe("on the disk\n");
  });

  it("Y6 a file that has changed in the editor since it was seen is not edited", async () => {
    const { place, server } = await scene([
      oneCall("view", { path: "a.txt" }),
      oneCall("edit", { path: "a.txt", old_str: "one", new_str: "1" }),
      text("done"),
    ]);
    writeIn(place, "a.txt", "one\n");
    const path = join(place.folder, "a.txt");
    const editor = buffers({ [path]: "one two\n" });
    const face = await openEditor(place, {
      capabilities: FILES,
      permission: () => {
        editor.texts[path] = "one two three\n";
        return choose("once");
      },
      more: editor.more,
    });
    await face.say(await face.session(), "work");
    expect(toolResults(server.requests[2]).at(-1)?.text).toContain("has changed since you last saw it");
    expect(editor.texts[path]).toBe("one two three\n");
  });

  it("Y6 without the offer, and outside of the folders, it is the disk; a folder by a link has the editor's name", async () => {
    const { place } = await scene([
      oneCall("create", { path: "made.txt", file_text: "made\n" }),
      text("ok"),
      oneCall("create", { path: "linked.txt", file_text: "linked\n" }),
      text("ok"),
    ]);
    const plain = await openEditor(place, { permission: () => choose("once") });
    await plain.say(await plain.session(), "make it");
    expect(readIn(place, "made.txt")).toBe("made\n");
    const link = join(dirname(place.folder), "link");
    symlinkSync(place.folder, link);
    mkdirSync(join(place.folder, "x"));
    const editor = buffers({});
    const face = await openEditor(place, { capabilities: FILES, permission: () => choose("once"), more: editor.more });
    await face.say(await face.session({ cwd: link }), "make it");
    expect(editor.written).toEqual([join(link, "linked.txt")]);
    expect(existsSync(join(place.folder, "linked.txt"))).toBe(false);
  });
});

describe("terminals of the editor", () => {
  it("Y6 approved commands run there, shown with their call, without secrets; the result is the model's", async () => {
    const line = 'echo "key:$OPENAI_API_KEY"; echo out; echo err >&2; exit 3';
    const { place, server } = await scene([calls([bash(line, {}, "c1")]), text("done")], {
      env: { OPENAI_API_KEY: "sk-of-the-user-0123456789" },
    });
    const editor = terminals();
    const face = await openEditor(place, {
      capabilities: { terminal: true },
      permission: () => choose("once"),
      more: editor.more,
    });
    await face.say(await face.session(), "run");
    expect(editor.lines).toMatchObject([{ args: ["-c", line] }]);
    const result = toolResults(server.requests[1])[0]?.text;
    expect(result).toMatch(/^key:\nout\nerr\n\[exit code 3/);
    const shown = face.updates.flatMap(({ update }) =>
      update.sessionUpdate === "tool_call_update" && update.content ? [update.content] : [],
    );
    expect(shown.length).toBeGreaterThan(1);
    for (const content of shown) expect(content).toEqual([{ type: "terminal", terminalId: "term-1" }]);
    await expect.poll(() => editor.released).toEqual(["term-1"]);
  });

  it("Y5 Y6 a cancel kills what runs in the editor's terminal", async () => {
    const { place } = await scene([calls([bash("touch begun; sleep 600", {}, "c1")]), text("unused")]);
    const editor = terminals();
    const face = await openEditor(place, {
      capabilities: { terminal: true },
      permission: () => choose("once"),
      more: editor.more,
    });
    const id = await face.session();
    const answer = face.say(id, "run");
    await expect.poll(() => existsSync(join(place.folder, "begun"))).toBe(true);
    await face.agent.notify(methods.agent.session.cancel, { sessionId: id });
    expect(await answer).toBe("cancelled");
    await expect.poll(() => editor.released).toEqual(["term-1"]);
  });
});
