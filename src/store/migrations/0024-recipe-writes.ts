// What each move of a job wrote into a recipe's row or looked at, though nobody reads it. Not breaking: an older coordinator
// finds and writes the same rows; the jobs of one ingest it finds more slowly.
//
// A recipe's row has a new version, in all of its indexes, with every move of its jobs: the index by root, which only the
// jobs of an ingest were found through, is that of the chain now. Types and their revisions are never removed, and are the
// same for hundreds of recipes a second, which all locked their rows (as 0001 says of jobs). Keys that keep a purge from
// removing what somebody has come to refer to meanwhile stay.

export const name = '0024-recipe-writes';

export const isBreaking = false;

/** Statements of this migration, in order. */
export const up: readonly string[] = [
  /* sql */ `
drop index recipe_root_idx;
alter table recipe drop constraint recipe_recipe_type_id_fkey, drop constraint recipe_recipe_type_rev_id_fkey;
`,
];
