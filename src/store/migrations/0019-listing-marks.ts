// How far a strike's listing of its bucket has come, kept with each page of it. An older coordinator lists from the
// start, as it did. Not breaking.

export const name = '0019-listing-marks';

export const isBreaking = false;

/** Statements of this migration, in order. */
export const up: readonly string[] = [
  /* sql */ `
-- {place, through, dueMs}
alter table strike add column listing jsonb;
`,
];
