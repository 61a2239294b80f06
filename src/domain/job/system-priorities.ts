/** Priorities of system jobs, however often they are queued. Smaller numbers come first. */
export const SYSTEM_PRIORITIES = { strike: 5, scan: 5, ingest: 10 } as const;
