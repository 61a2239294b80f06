/** Requests for many jobs of a group, and what they leave in their backlogs. */
import type { Group } from '../../../../src/store/sql/group.ts';
import type { Tables } from '../tables.ts';
import { violated } from '../violated.ts';

export function writeJobRequests(tables: Tables, group: Group): void {
  for (const request of group.items('createJobRequests', (change) => change.requests)) {
    const row = { ...request, position: tables.nextPosition(), beforeId: null, isDone: false };
    if (!tables.jobRequests.insert(row)) violated('job_request_pkey');
  }
  const changes = group.placed('advanceJobRequest').map(({ change }) => change);
  for (const { requestId, beforeId, isDone } of changes) {
    if (tables.jobRequests.get(requestId) !== undefined)
      tables.jobRequests.patch(requestId, { beforeId, isDone });
  }
  for (const { requestId, settled } of changes) {
    for (const jobId of settled) tables.backlog.delete(`${requestId}/${jobId}`);
  }
  for (const { requestId, added } of changes) {
    if (added.length > 0 && tables.jobRequests.get(requestId) === undefined)
      violated('job_request_backlog_request_id_fkey');
    for (const job of added) tables.backlog.insert({ ...job, id: `${requestId}/${job.jobId}`, requestId });
  }
}
