/** Encryption keys: the service behind their route. */
import { formatInstant } from '../../domain/times.ts';
import { keyOverviews } from '../../store/secret-key/save.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { SecretKeyRouteDeps } from './routes.ts';

export function secretKeysApp(sql: Sql): SecretKeyRouteDeps['secretKeys'] {
  return {
    async list() {
      const keys = await keyOverviews(sql);
      return keys.map(({ id, isCurrent, began, completed, holders, coordinators }) => ({
        ...{ id, is_current: isCurrent, began: instantOf(began), completed: instantOf(completed) },
        ...{ holder_count: holders, coordinator_count: coordinators },
      }));
    },
  };
}

function instantOf(atMs: number | null): string | null {
  return atMs === null ? null : formatInstant(atMs);
}
