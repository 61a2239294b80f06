/** Whether a database can take a restore: nothing in its schema, no coordinator. */
import { AppError } from '../../domain/errors.ts';
import type { Session } from './connection.ts';
import { IN_SCHEMA } from './schema.ts';

/** Extensions may be there already: some can be created by administrators only. */
const RELATIONS = /* sql */ `
  select c.relname::text as name from pg_class c
  where c.relnamespace = ${IN_SCHEMA} and not exists (
    select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  order by 1`;

const LIVE = `select id from coordinator where expires > now()`;

const WHAT_TO_DO =
  'Restore into an empty database: create one and name it in DATABASE_URL, or name another data folder with ' +
  '--data-dir. Nothing was changed';

/** Throws AppError CONFLICT with what is there and what to do. */
export async function refuseUsed(session: Session): Promise<void> {
  const relations = (await session.query<{ name: string }>(RELATIONS)).map(({ name }) => name);
  if (relations.length === 0) return;
  if (relations.includes('coordinator') && relations.includes('schema_migration')) {
    const live = await session.query<{ id: string }>(LIVE);
    const run = live.length === 1 ? 'coordinator runs' : 'coordinators run';
    const who =
      live.length > 0
        ? `${live.length} ${run} on this database (${live.map(({ id }) => id).join(', ')})`
        : 'the database holds an installation of Millrace';
    throw new AppError('CONFLICT', `${who}. ${WHAT_TO_DO}`);
  }
  const some = relations.slice(0, 3).join(', ');
  throw new AppError('CONFLICT', `the database is not empty: it has ${some}. ${WHAT_TO_DO}`);
}
