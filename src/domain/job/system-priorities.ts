/** Priorities of the system's own jobs, however often they are queued. The lower, the earlier. */
export const SYSTEM_PRIORITIES = { strike: 5, scan: 5, ingest: 10 } as const;
