import { SYSTEM_JOB_TYPES } from '../catalog/builtins.ts';

/** PENDING jobs: those of recipes wait for input; those of a scan that nobody has started wait for nothing. */

export function waitsForInput(job: string): string {
  return `(${job}.status = 'PENDING' and ${job}.owner_kind <> 'scan')`;
}

export function isUnstarted(job: string): string {
  return `(${job}.status = 'PENDING' and ${job}.owner_kind = 'scan')`;
}

/** The same for counters, which know only the type: the jobs of scans have one of their own. */
export function isUnstartedOfType(status: string, jobTypeId: string): string {
  const scans = `(select id from job_type where name = '${SYSTEM_JOB_TYPES.scan.name}')`; // = job_type_name_version_key
  return `(${status} = 'PENDING' and ${jobTypeId} in ${scans})`;
}

export function waitsForInputOfType(status: string, jobTypeId: string): string {
  return `(${status} = 'PENDING' and not ${isUnstartedOfType(status, jobTypeId)})`;
}
