// Labels of workspaces, job types, recipe types, strikes and scans. A change of labels is a change of the object.

import { KINDS } from './0002-object-changes.ts';

export const name = '0006-labels';

/** A coordinator of the previous schema neither shows nor changes labels. */
export const isBreaking = false;

export const LABELED = ['workspace', 'job_type', 'recipe_type', 'strike', 'scan'];

export const up: readonly string[] = KINDS.filter(({ table }) => LABELED.includes(table)).map(
  ({ table, raisedBy }) => /* sql */ `
alter table ${table} add column labels jsonb not null default '{}';
create index ${table}_labels_idx on ${table} using gin (labels);
create or replace trigger ${table}_version before update on ${table} for each row
  when (old.object_version = new.object_version
    and (${[...raisedBy, 'labels'].map((column) => `old.${column} is distinct from new.${column}`).join(' or ')}))
  execute function raise_object_version();`,
);
