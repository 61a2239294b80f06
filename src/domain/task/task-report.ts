/** Converts an agent's report of an ended execution. Unreadable parts count as absent. */
import { checkJson } from '../document/json-value.ts';
import type { TaskUpdate } from '../node/agent-messages.ts';
import { IssueList } from '../validation.ts';
import { NO_FACTS, type PhaseName, type TaskResult } from './task-result.ts';

const PHASES: readonly string[] = ['pull', 'pre', 'main', 'post'];
const OUTCOMES = { COMPLETED: 'completed', FAILED: 'failed', CANCELED: 'canceled' } as const;

export function taskResultOf(update: TaskUpdate): TaskResult {
  const jsonOutputs = objectOf(update.jsonOutputs) ?? {};
  const result = readUpdate(update, jsonOutputs);
  const unfit = storageProblem(jsonOutputs);
  if (unfit === undefined) return result;
  // The agent accepted values that cannot be stored. The database would refuse them at each repeat, and the job would
  // never end.
  const error = { name: 'invalid-results-manifest', isBuiltin: true, detail: unfit };
  return { ...result, outcome: 'failed', error, outputs: [], jsonOutputs: {}, parsedInputs: [] };
}

/** Why values cannot be stored; undefined if they can. */
function storageProblem(jsonOutputs: Readonly<Record<string, unknown>>): string | undefined {
  const issues = new IssueList(1);
  checkJson(jsonOutputs, issues, 'INVALID');
  const [issue] = issues.errors;
  return issue === undefined ? undefined : `${issue.path}: ${issue.description}`;
}

function readUpdate(update: TaskUpdate, jsonOutputs: Readonly<Record<string, unknown>>): TaskResult {
  return {
    executionId: update.executionId,
    jobId: update.jobId,
    exeNum: update.exeNum,
    outcome: OUTCOMES[update.outcome],
    error: update.error ?? null,
    phases: update.phases
      .filter((phase) => PHASES.includes(phase.phase))
      .map((phase) => ({
        phase: phase.phase as PhaseName,
        startedMs: phase.startedMs,
        endedMs: phase.endedMs === 0 ? null : phase.endedMs,
        exitCode: phase.exitCode ?? null,
        isTimedOut: phase.timedOut,
      })),
    outputs: update.outputs.map((output) => ({ ...output, metadata: objectOf(output.metadata) })),
    jsonOutputs,
    parsedInputs: update.parsedInputs.flatMap((parsed) => {
      const metadata = objectOf(parsed.metadata);
      return metadata === null ? [] : [{ ...parsed, metadata }];
    }),
    facts: {
      used: update.used ?? null,
      imageDigest: update.imageDigest ?? null,
      logCut: update.logCut ?? null,
    },
    // What has a phase has begun, whatever its agent says.
    ...(update.neverBegan === true && update.phases.length === 0 && { neverBegan: true }),
  };
}

/** The result for an execution whose node is lost, or that never could begin. */
export function failedResult(
  execution: { readonly executionId: number; readonly jobId: number; readonly exeNum: number },
  error: { readonly name: string; readonly detail: string },
): TaskResult {
  return {
    executionId: execution.executionId,
    jobId: execution.jobId,
    exeNum: execution.exeNum,
    outcome: 'failed',
    error: { name: error.name, isBuiltin: true, detail: error.detail },
    phases: [],
    outputs: [],
    jsonOutputs: {},
    parsedInputs: [],
    facts: NO_FACTS,
  };
}

function objectOf(json: string): Readonly<Record<string, unknown>> | null {
  if (json === '') return null;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    // The agent wrote it, so this is a defect of an agent of another version; the rest of its report still counts.
    return null;
  }
}
