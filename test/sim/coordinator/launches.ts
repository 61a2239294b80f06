/**
 * Launches, with the fields that the simulated agent reads, as src/store/execution/launch-load.ts builds them.
 */
import type { LaunchSpecs } from '../../../src/actors/node/node.ports.ts';
import { ownerText } from '../../../src/domain/job/job-owner.ts';
import type { Launch, WorkspaceRef } from '../../../src/domain/node/coordinator-messages.ts';
import type { WorkspaceInfo } from '../../../src/domain/node/node.ts';
import { REVISIONS, WORKSPACE } from '../scenario.ts';
import type { ExecutionRow, Tables } from '../store/tables.ts';

export function launchSpecs(tables: Tables, executionIds: readonly number[]): LaunchSpecs {
  const launches: Launch[] = [];
  const failed: LaunchSpecs['failed'][number][] = [];
  for (const id of executionIds) {
    const row = tables.executions.get(id);
    if (row?.status !== 'RUNNING') continue;
    const job = tables.jobs.at(row.jobId);
    const isCurrent = job.status === 'RUNNING' && job.exeNum === row.exeNum;
    const fileIds = Object.values(job.input?.input.files ?? {}).flat();
    if (isCurrent && fileIds.some((file) => tables.files.get(file)?.isDeleted !== false)) {
      const error = { name: 'missing-file', isBuiltin: true, detail: 'an input file is not there any more' };
      failed.push({ executionId: id, error });
    } else if (isCurrent) launches.push(launchOf(tables, row));
    else {
      const detail = 'the job continued without this execution';
      failed.push({ executionId: id, error: { name: 'scheduler-lost', isBuiltin: true, detail } });
    }
  }
  return { launches, failed };
}

export function refOf({ uuid, name, configuration }: WorkspaceInfo): WorkspaceRef {
  return { uuid, name, configuration: JSON.stringify(configuration) };
}

function launchOf(tables: Tables, row: ExecutionRow): Launch {
  const job = tables.jobs.at(row.jobId);
  const revision = REVISIONS.jobs.get(job.jobTypeRevId);
  const inputs = Object.entries(job.input?.input.files ?? {}).map(([name, ids]) => ({
    ...{ name, multiple: false, partial: false },
    files: ids.map((id) => {
      const file = tables.files.at(id);
      const { uuid } = tables.workspaces.at(file.workspaceId);
      const { filePath: path, fileName, size } = file;
      return { fileId: id, workspaceUuid: uuid, path, fileName, size, isSource: true, record: '{}' };
    }),
  }));
  const products = tables.workspaces.at(WORKSPACE.products);
  return {
    type: 'launch',
    ...{ executionId: row.id, jobId: row.jobId, exeNum: row.exeNum, owner: ownerText(job.owner) },
    ...{ jobTypeName: revision?.jobTypeName ?? '', jobTypeVersion: revision?.jobTypeVersion ?? '' },
    ...{
      containerImage: revision?.containerImage ?? '',
      manifest: '{}',
      inputs,
      jsonInputs: '{}',
      settings: [],
    },
    ...{ mounts: '{}', resources: row.resources, inputMib: 0 },
    outputs: [{ output: 'OUT', workspaceUuid: products.uuid }],
    productDirectory: `job_exe_${row.id}`,
    workspaces: [refOf(products)],
    ...{ timeoutS: 60, environment: {}, inputMetadata: '', isSystem: false },
  };
}
