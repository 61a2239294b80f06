// A value of these sequences stands for a stripe of 64 ids in a row, one of each shard (src/store/ids.ts), so that a
// coordinator gets ids of the shards that it holds in one statement. Not breaking: a coordinator of the version before takes the
// first id of each stripe, which nobody else gets either; meanwhile what it creates falls into one shard.

export const name = '0026-id-stripes';

export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
alter sequence batch_id_seq increment by 64;
alter sequence diagnostic_run_id_seq increment by 64;
alter sequence job_id_seq increment by 64;
alter sequence job_request_id_seq increment by 64;
alter sequence recipe_id_seq increment by 64;
`,
];
