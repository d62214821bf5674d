// `everlong doctor`: every check in turn, mended where that was asked for.
import { errorText, type Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import type { CheckFinding, CheckResult, CheckStatus, Confirm, DoctorCheck } from "./check.ts";
import { doctorChecks } from "./checks.ts";
import { type DoctorView, openView } from "./view.ts";

export type DoctorOptions = { online?: boolean; fix?: boolean; report?: string };
export type Diagnosis = { checks: CheckResult[]; counts: Record<CheckStatus, number>; report?: string };

export async function diagnose(
  options: DoctorOptions,
  confirm: Confirm = async () => false,
  onResult: (result: CheckResult) => void = () => undefined,
): Promise<Result<Diagnosis, Failure>> {
  const view = await openView({ online: options.online ?? false });
  if (!view.ok) return view;
  const refused = options.fix ? refuseInToolShell(view.value.env, "repair files") : undefined;
  if (refused) return fail(refused);
  const checks: CheckResult[] = [];
  for (const check of doctorChecks) {
    const result = clean(view.value, await examine(check, view.value, options.fix ? confirm : undefined));
    checks.push(result);
    onResult(result);
  }
  const count = (status: CheckStatus): number => checks.filter((check) => check.status === status).length;
  const diagnosis = { checks, counts: { ok: count("ok"), warn: count("warn"), fail: count("fail") } };
  if (options.report === undefined) return ok(diagnosis);
  const { writeReport } = await import("./report.ts");
  const written = await writeReport(options.report, view.value, checks);
  return written.ok ? ok({ ...diagnosis, report: written.value }) : written;
}

/** With `confirm`: mended, and looked at again. */
async function examine(check: DoctorCheck, view: DoctorView, confirm: Confirm | undefined): Promise<CheckResult> {
  const before = await looked(check, view);
  if (before.status === "ok" || !confirm || !check.mend) return { name: check.name, ...before };
  let mended: string[];
  try {
    mended = await check.mend(view, confirm);
  } catch (error) {
    mended = [`Not repaired: ${errorText(error)}`];
  }
  view.forget();
  return { name: check.name, ...(await looked(check, view)), ...(mended.length > 0 ? { mended } : {}) };
}

/** A check that breaks is a finding of its own: the others still run. */
async function looked(check: DoctorCheck, view: DoctorView): Promise<CheckFinding> {
  try {
    return await check.look(view);
  } catch (error) {
    return { status: "fail", finding: `cannot be checked: ${errorText(error)}`, fix: "Please report this." };
  }
}

/** One line each, without secrets: findings quote files and addresses. */
function clean({ redact }: DoctorView, result: CheckResult): CheckResult {
  const line = (text: string): string => redact(text.replace(/\s*\n\s*/g, "; "));
  return {
    ...result,
    finding: line(result.finding),
    ...(result.fix === undefined ? {} : { fix: line(result.fix) }),
    ...(result.mended ? { mended: result.mended.map(line) } : {}),
  };
}
