// Makes the text of a change cheaper, and leaves it as it is. The tables that commit groups write by the hundred are
// described with fewer concatenations: constants that follow each other are one constant, the brackets between two items
// are the delimiter of the aggregate, and a link that is null is one constant. An insert needs no join, and no settings
// for one.

import { inRow, KINDS, type Kind } from './0002-object-changes.ts';

export const name = '0016-shorter-texts-of-changes';

/** Writes the same texts. */
export const isBreaking = false;

/** Their statuses are never null. No migration after 0004 has changed the items of these tables. */
const WRITTEN_IN_GROUPS = ['file', 'ingest', 'job', 'job_exe', 'recipe', 'recipe_condition'];

/**
 * An item without its brackets: id, version, what, from, to, links. `states` is everything between version and links but
 * the constant `end` that it ends with. What is text is a word of ours (a status, an event), which needs no escape.
 */
function itemOf(
  kind: Kind,
  row: 'n' | 'o',
  { version, states, end }: { version: string; states: readonly string[]; end: string },
): string {
  const links = kind.links.map((link, at) => {
    const before = at === 0 ? `${end},` : ',';
    return `coalesce('${before}' || (${inRow(row, link)}), '${before}null')`;
  });
  return [`${row}.id`, `','`, version, ...states, ...links].join(' || ');
}

/** What an update is, with the commas around it, and the quote before the status or the nulls in its place. */
function whatOf({ status, events }: Kind): string {
  const text = (what: string) => `',"${what}",${status === undefined ? 'null,null' : '"'}'`;
  const moved =
    status === undefined ? '' : `when ${inRow('n', status)} <> ${inRow('o', status)} then ${text('status')}`;
  const cases = Object.entries(events ?? {}).map(
    ([what, condition]) => `when ${condition} then ${text(what)}`,
  );
  const all = [moved, ...cases].filter((one) => one !== '');
  return all.length === 0 ? text('edited') : `case ${all.join(' ')} else ${text('edited')} end`;
}

function shorter(kind: Kind): string {
  const { table, status } = kind;
  const version = 'n.object_version';
  const word = (row: 'n' | 'o') => `(${inRow(row, status ?? '')})`;
  const tell = (event: string, settings: string, item: string, rows: string) => `
create or replace function tell_${table}_${event}() returns trigger language plpgsql${settings} as $$
begin
  insert into object_change (kind, items)
  select '${kind.kind}', '[[' || string_agg(${item}, '],[') || ']]' from ${rows}
  having count(*) > 0;
  return null;
end $$;`;
  const isStated = status !== undefined;
  const created = isStated
    ? { version, states: [`',"created",null,"'`, word('n')], end: '"' }
    : { version, states: [`',"created",null,null'`], end: '' };
  const changed = isStated
    ? { version, states: [whatOf(kind), word('o'), `'","'`, word('n')], end: '"' }
    : { version, states: [whatOf(kind)], end: '' };
  const last = '(o.object_version + 1)';
  const removed = isStated
    ? { version: last, states: [`',"removed","'`, word('o')], end: '",null' }
    : { version: last, states: [`',"removed",null,null'`], end: '' };
  return [
    tell('insert', '', itemOf(kind, 'n', created), 'added n'),
    tell(
      'update',
      ' set enable_hashjoin = on set enable_nestloop = off',
      itemOf(kind, 'n', changed),
      'added n join removed o on o.id = n.id and o.object_version <> n.object_version',
    ),
    tell('delete', '', itemOf(kind, 'o', removed), 'removed o'),
  ].join('');
}

/** Statements of this migration, in order. */
export const up: readonly string[] = KINDS.filter(({ table }) => WRITTEN_IN_GROUPS.includes(table)).map(
  shorter,
);
