/**
 * The one value that clients of the public system spell differently: the type `s3`, which the interface calls
 * `objstore`. Both are accepted. A record is shown in the spelling in which it was last sent under `/api/`; one that
 * was created elsewhere is shown as `s3`. The spelling is stored after the record: if that fails, the record is only
 * shown in the other spelling.
 */
import type { Reply, Route } from '../../http/route.ts';
import { documentedSpellings, keepSpelling } from '../../store/client-spelling/save.ts';
import type { Parts } from '../parts.ts';
import { changeAt, isHolder, valueAt } from './places.ts';
import type { BodyChange, Change } from './translations.ts';

const THEIRS = 's3';
const OURS = 'objstore';

interface SpelledRecord {
  readonly kind: 'workspace' | 'strike' | 'scan';
  readonly id: number;
}

interface Spelled {
  readonly calls: readonly string[];
  readonly kind: SpelledRecord['kind'];
  /** The path of the record in the answer; empty: the whole answer. */
  readonly record: string;
  /** Inside the record: objects that have a `type`. */
  readonly at: readonly string[];
}

const detailsOf = (collection: string) => [
  `POST /v6/${collection}/`,
  `PATCH /v6/${collection}/{id}/`,
  `GET /v6/${collection}/{id}/`,
];
const SCAN = ['configuration.scanner', 'configuration.monitor'];
const STRIKE = ['configuration.monitor'];
const WORKSPACE = ['json_config.broker'];
const INGEST = ['GET /v6/ingests/{id}/'];

/** All places that show the type; places where it is sent are in `differences.ts`. */
export const SPELLED: readonly Spelled[] = [
  { calls: detailsOf('workspaces'), kind: 'workspace', record: '', at: ['configuration.broker'] },
  { calls: detailsOf('strikes'), kind: 'strike', record: '', at: STRIKE },
  { calls: [...detailsOf('scans'), 'POST /v6/scans/{id}/process/'], kind: 'scan', record: '', at: SCAN },
  { calls: INGEST, kind: 'workspace', record: 'workspace', at: WORKSPACE },
  { calls: INGEST, kind: 'workspace', record: 'new_workspace', at: WORKSPACE },
  { calls: INGEST, kind: 'strike', record: 'strike', at: STRIKE },
  { calls: INGEST, kind: 'scan', record: 'scan', at: SCAN },
];

/** Objects of bodies that were sent with `objstore`, as the public system's documents spell it. */
const documentedBodies = new WeakSet<object>();

/** Replaces the type in a body by the interface's spelling. */
export const ourSpelling: BodyChange = (holder) => {
  if (holder.type === OURS) documentedBodies.add(holder);
  else if (holder.type === THEIRS) holder.type = OURS;
  return holder;
};

const theirSpelling: Change = (holder) => (holder.type === OURS ? { ...holder, type: THEIRS } : holder);

/** Wraps the route to store and show the spelling of its records. */
export function spelledRoute<Deps>(call: string, route: Route<Deps>): Route<Deps & Parts<'sql'>> {
  const places = SPELLED.filter(({ calls }) => calls.includes(call));
  if (places.length === 0) return route;
  return {
    ...route,
    async handle(input, deps) {
      const answer = await route.handle(input, deps);
      const [first] = places;
      const sent = first?.at.map((at) => valueAt(input.body, at)).find(isOurs);
      const id = Number(input.params.id ?? valueAt(answer.body, 'id'));
      if (sent !== undefined && first !== undefined && Number.isSafeInteger(id)) {
        const isDocumented = documentedBodies.has(sent);
        // A new record is shown as s3 in any case.
        const isKnown = !isDocumented && route.method === 'POST';
        if (!isKnown) await keepSpelling(deps.sql, { kind: first.kind, id }, isDocumented);
      }
      return shown(answer, places, deps);
    },
  };
}

function isOurs(value: unknown): value is object {
  return isHolder(value) && value.type === OURS;
}

async function shown(answer: Reply, places: readonly Spelled[], { sql }: Parts<'sql'>): Promise<Reply> {
  const found = places.flatMap((place) => {
    const record = valueAt(answer.body, place.record);
    const isSpelled = place.at.some((at) => isOurs(valueAt(record, at)));
    return isSpelled ? [{ place, id: Number(valueAt(record, 'id')) }] : [];
  });
  if (found.length === 0) return answer;
  const records = found.map(({ place, id }) => ({ kind: place.kind, id }));
  const kept = await documentedSpellings(sql, records);
  const isKept = ({ kind }: Spelled, id: number) => kept.some((one) => one.kind === kind && one.id === id);
  const paths = found
    .filter(({ place, id }) => !isKept(place, id))
    .flatMap(({ place: { record, at } }) =>
      at.map((inner) => (record === '' ? inner : `${record}.${inner}`)),
    );
  const body = paths.reduce((value: unknown, path) => changeAt(value, path, theirSpelling), answer.body);
  return { ...answer, body };
}
