/** Finds objects of all kinds by a text, in one statement: by id, or by a part of their name or title. */
import type { Sql } from '../sql/sql.ts';

export const FOUND_KINDS = [
  ...(['recipe_type', 'job_type', 'strike', 'scan', 'workspace', 'batch', 'dataset', 'node'] as const),
  ...(['job', 'recipe', 'file', 'ingest'] as const),
];
export type FoundKind = (typeof FOUND_KINDS)[number];

export interface FoundObject {
  readonly kind: FoundKind;
  readonly id: number;
  readonly title: string;
  /** Null for kinds that have none. */
  readonly name: string | null;
  readonly version: string | null;
}

/** limit: objects of a kind that are found, and those of each kind, the newest, whose names are compared. */
const FOUND_MAX = 5;
const COMPARED_MAX = 10_000;

interface Kind {
  readonly kind: FoundKind;
  readonly from: string;
  readonly title: string;
  readonly name?: string;
  readonly version?: string;
  readonly isThere?: string;
}

const titled = { title: "coalesce(o.title, '')", isThere: 'o.deleted is null' } as const;
/** Kinds that people give names. */
const NAMED: readonly Kind[] = [
  { kind: 'recipe_type', from: 'recipe_type o', ...titled, name: 'o.name' },
  { kind: 'job_type', from: 'job_type o', ...titled, name: 'o.name', version: 'o.version' },
  { kind: 'strike', from: 'strike o', ...titled, name: 'o.name' },
  { kind: 'scan', from: 'scan o', ...titled, name: 'o.name' },
  { kind: 'workspace', from: 'workspace o', ...titled, name: 'o.name' },
  { kind: 'batch', from: 'batch o', ...titled },
  { kind: 'dataset', from: 'dataset o', ...titled },
  { kind: 'node', from: 'node o', title: 'o.hostname' },
];
/** Kinds that are found by id only, since there may be millions of objects. */
const NUMBERED: readonly Kind[] = [
  { kind: 'job', from: 'job o join job_type t on t.id = o.job_type_id', title: 't.title', name: 't.name' },
  {
    ...{ kind: 'recipe', from: 'recipe o join recipe_type t on t.id = o.recipe_type_id' },
    ...{ title: 't.title', name: 't.name' },
  },
  { kind: 'file', from: 'file o', title: 'o.file_name', isThere: 'not o.is_deleted' },
  { kind: 'ingest', from: 'ingest o', title: 'o.file_name' },
];

const rowOf = ({ kind, title, name = 'null::text', version = 'null::text' }: Kind) =>
  `'${kind}' as kind, o.id, ${title} as title, ${name} as name, ${version} as version`;

/** $1: a pattern of a part, $2: one of a beginning. */
function byName(one: Kind): string {
  const { title, name = title, from, isThere = 'true' } = one;
  return `(select * from (
      select ${rowOf(one)} from (select * from ${from} where ${isThere} order by o.id desc limit ${COMPARED_MAX}) o
    ) as named
    where ${name === title ? 'title' : 'concat_ws(chr(10), title, name)'} ilike $1
    order by title ilike $2 desc, lower(title), id desc limit ${FOUND_MAX})`;
}

/** $3: an id. By primary keys. */
const byId = (one: Kind): string =>
  `(select ${rowOf(one)} from ${one.from} where o.id = $3 and ${one.isThere ?? 'true'})`;

/** In the order of `FOUND_KINDS`; an object with the id comes first. */
export async function findObjects(sql: Sql, text: string, id: number | undefined): Promise<FoundObject[]> {
  const pattern = text.replace(/[\\%_]/g, '\\$&');
  const arms = [...(id === undefined ? [] : [...NUMBERED, ...NAMED].map(byId)), ...NAMED.map(byName)];
  const found = await sql.execute<FoundObject>(
    `select kind, id, title, name, version from (${arms.join(' union all ')}) as found`,
    [`%${pattern}%`, `${pattern}%`, ...(id === undefined ? [] : [id])],
  );
  const seen = new Map(found.map((one) => [`${one.kind} ${one.id}`, one]));
  return [...seen.values()];
}
