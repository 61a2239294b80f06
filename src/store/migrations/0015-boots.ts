// The boot of a node's host under which its tasks were launched, as its agent names it: after another boot, tasks that the
// agent has no record of are ended instead of being launched again.

export const name = '0015-boots';

/** A column that may be null: coordinators of the previous schema do not write it, and say so to agents. */
export const isBreaking = false;

export const up: readonly string[] = [
  // Empty: the agent names no boot.
  /* sql */ `alter table node add column boot_id text`,
];
