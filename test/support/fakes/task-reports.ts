/** Agents' reports of the ends of executions. */
import { NO_FACTS, type TaskResult } from '../../../src/domain/task/task-result.ts';
import type { ExecutionRow } from './recipe-rows.ts';

/** A report of an execution's end. */
export function makeResult(
  execution: Pick<ExecutionRow, 'id' | 'jobId' | 'exeNum'>,
  over: Partial<TaskResult> = {},
): TaskResult {
  return {
    executionId: execution.id,
    jobId: execution.jobId,
    exeNum: execution.exeNum,
    outcome: 'completed',
    error: null,
    phases: [],
    outputs: [],
    jsonOutputs: {},
    parsedInputs: [],
    facts: NO_FACTS,
    ...over,
  };
}

export function makeOutput(output: string, path: string, workspaceUuid = 'uuid-products') {
  const fileName = path.slice(path.lastIndexOf('/') + 1);
  return {
    output,
    workspaceUuid,
    path,
    fileName,
    size: 10,
    mediaType: 'text/plain',
    sha256: '00',
    metadata: null,
  };
}
