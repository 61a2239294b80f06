// The span of the caller that triggered work: traces of that work continue the caller's.

export const name = '0013-event-traces';

/** A column that may be null: coordinators of the previous schema do not write it. */
export const isBreaking = false;

export const up: readonly string[] = [
  // As in the header `traceparent`.
  /* sql */ `alter table event add column trace_parent varchar(55)`,
];
