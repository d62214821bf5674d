// What is offered, how it is described, and that a call is checked before anything happens.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ok } from "../base/result.ts";
import { bashTool } from "./builtin/bash.ts";
import { createTool } from "./builtin/create.ts";
import { editTool } from "./builtin/edit.ts";
import { grepTool } from "./builtin/grep.ts";
import { recallTool } from "./builtin/recall.ts";
import { taskCompleteTool } from "./builtin/task-complete.ts";
import { testEnv, testOwner } from "./builtin/test-context.ts";
import { viewTool } from "./builtin/view.ts";
import { defineTool, success, type Tool } from "./contract.ts";
import { createLedger } from "./ledger.ts";
import { OutputFolder } from "./output-folder.ts";
import { offeredTools, toolDefinition } from "./registry.ts";
import { createShells } from "./shells.ts";
import { validateCall } from "./validate.ts";

const plain = (name: string, more: Partial<Tool> = {}): Tool => ({
  ...defineTool({
    name,
    description: ` About ${name}.\n`,
    input: z.strictObject({ path: z.string(), depth: z.number().int().min(1).optional() }),
    permissions: () => [],
    run: async () => success("ran"),
  }),
  ...more,
});

const names = (tools: Tool[]) => tools.map((t) => t.name);

describe("offered tools", () => {
  const tools = [
    plain("view", { planMode: true }),
    plain("bash"),
    plain("exit_plan_mode", { onlyMode: "plan" }),
    plain("task_complete", { onlyMode: "autopilot" }),
  ];

  it("A6.2 A5.12 A6.22 by mode, by the agent's list and by exclusion, sorted by name", () => {
    expect(names(offeredTools(tools, { mode: "interactive" }))).toEqual(["bash", "view"]);
    expect(names(offeredTools(tools, { mode: "plan" }))).toEqual(["exit_plan_mode", "view"]);
    expect(names(offeredTools(tools, { mode: "autopilot" }))).toEqual(["bash", "task_complete", "view"]);
    expect(
      names(offeredTools(tools, { mode: "autopilot", only: ["view", "exit_plan_mode"], exclude: ["bash"] })),
    ).toEqual(["view"]);
  });

  it("AI11 the definition of a tool is the same object and the same bytes each time", () => {
    const [tool] = tools;
    const definition = toolDefinition(tool!);
    expect(toolDefinition(tool!)).toBe(definition);
    expect(definition).toEqual({
      name: "view",
      description: "About view.",
      parameters: {
        type: "object",
        properties: {
          path: { type: "string" },
          depth: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
        },
        required: ["path"],
        additionalProperties: false,
      },
    });
  });

  it("A6.1 every built-in has a text, a strict schema and plain JSON schema words", () => {
    const ledger = createLedger();
    const owner = testOwner();
    const builtin = [
      bashTool({
        shells: createShells({ owner, onCompleted: () => undefined }),
        confine: async () => ok({ env: testEnv() }),
        settings: { waitSeconds: 30, maxSeconds: 60, outputMaxBytes: 20_480 },
        outputs: new OutputFolder("unused", { maxFileBytes: 0, maxFolderBytes: 0 }),
        readOnly: () => false,
      }),
      viewTool({ ledger, settings: { outputMaxBytes: 20_480 }, images: () => false }),
      createTool({ ledger }),
      editTool({ ledger }),
      grepTool({ owner, env: testEnv }),
      recallTool({ search: async () => ({ type: "refused", message: "" }) }),
      taskCompleteTool({ complete: async () => undefined }),
    ];
    for (const tool of builtin) {
      const { description, parameters } = toolDefinition(tool);
      expect(description.length, tool.name).toBeGreaterThan(40);
      expect(parameters["additionalProperties"], tool.name).toBe(false);
      expect(JSON.stringify(parameters), tool.name).not.toMatch(/prefixItems|anyOf|\$ref|\$schema/);
    }
  });
});

describe("validateCall", () => {
  const tools = [plain("view"), plain("create"), plain("grep")];
  const refused = (name: string, args: unknown) => {
    const checked = validateCall(tools, name, args);
    return checked.ok ? "ok" : `${checked.error.code}: ${checked.error.message}`;
  };

  it("A5.4 an unknown tool gets near names, of what is offered only", () => {
    expect(refused("veiw", {})).toBe('not_found: No such tool: "veiw". Did you mean view?');
    expect(refused("frobnicate", {})).toContain("Available: view, create, grep.");
  });

  it("A5.4 AB5 arguments that are not JSON or do not fit name the field", () => {
    expect(refused("view", '{"path": "a')).toMatch(/^invalid_inputs: .*not a JSON object/);
    expect(refused("view", "[1]")).toMatch(/^invalid_inputs: .*not a JSON object/);
    expect(refused("view", 5)).toMatch(/^invalid_inputs/);
    expect(refused("view", {})).toMatch(/^invalid_inputs: .*"path"/);
    expect(refused("view", { path: "a", depth: 0 })).toMatch(/^invalid_inputs: .*"depth"/);
    expect(refused("view", "")).toMatch(/"path"/);
    expect(refused("view", '{"path":"a"}')).toBe("ok");
  });

  it("A7.16 B54 an unknown argument makes the call invalid, whatever it is", () => {
    expect(refused("view", { path: "a", permission: "allow" })).toContain('unknown argument "permission"');
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.jsonValue(), (key, value) => {
        fc.pre(key !== "path" && key !== "depth");
        const args = JSON.parse(`{"path":"a",${JSON.stringify(key)}:${JSON.stringify(value)}}`);
        expect(validateCall(tools, "view", args).ok).toBe(false);
      }),
    );
  });
});
