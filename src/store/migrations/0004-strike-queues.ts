// Strikes by the queue whose notifications they read: asked for each notification that comes over HTTP.

export const name = '0004-strike-queues';

/** A coordinator of the previous schema may go on running beside this one. */
export const isBreaking = false;

const QUEUES = /* sql */ `
create index strike_queue_idx on strike ((configuration->'monitor'->>'queue_name'))
  where configuration->'monitor'->>'type' = 'objstore'`;

export const up: readonly string[] = [QUEUES];
