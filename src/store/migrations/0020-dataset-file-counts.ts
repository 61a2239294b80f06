// How many files a dataset has, kept beside it so that the list of datasets can be sorted by it. Not breaking: the
// triggers count what an older coordinator writes as well.

export const name = '0020-dataset-file-counts';

export const isBreaking = false;

/** The datasets are locked in the order of their ids, so that two that count the same ones wait for each other. */
function counted(event: 'insert' | 'delete', rows: 'added' | 'removed', sign: '+' | '-'): string {
  const referencing = `${event === 'insert' ? 'new' : 'old'} table as ${rows}`;
  return `
create function count_dataset_file_${event}() returns trigger language plpgsql as $$
begin
  perform from dataset where id in (select dataset_id from ${rows}) order by id for no key update;
  update dataset d set file_count = d.file_count ${sign} c.count
  from (select dataset_id, count(*) as count from ${rows} group by dataset_id) as c
  where d.id = c.dataset_id;
  return null;
end $$;
create trigger dataset_file_count_${event} after ${event} on dataset_file referencing ${referencing}
  for each statement execute function count_dataset_file_${event}();`;
}

/** Statements of this migration, in order. Making the triggers keeps writers out while the rows are counted. */
export const up: readonly string[] = [
  'alter table dataset add column file_count integer not null default 0',
  counted('insert', 'added', '+'),
  counted('delete', 'removed', '-'),
  /* sql */ `
update dataset d set file_count = c.count
from (select dataset_id, count(*) as count from dataset_file group by dataset_id) as c where d.id = c.dataset_id;
create index dataset_file_count_idx on dataset (file_count, id);
`,
];
