/** PENDING jobs: those of recipes wait for input; those of a scan that nobody has started wait for nothing. */

export function waitsForInput(job: string): string {
  return `(${job}.status = 'PENDING' and ${job}.owner_kind <> 'scan')`;
}

export function isUnstarted(job: string): string {
  return `(${job}.status = 'PENDING' and ${job}.owner_kind = 'scan')`;
}
