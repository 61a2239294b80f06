/** The parts of a coordinator for tests of reads: a database, and no actors. Tests that need more pass it. */
import type { CoordinatorParts } from '../../src/api/deps.ts';
import { Readiness } from '../../src/api/status/readiness.ts';
import { RevisionCache } from '../../src/store/catalog/revision-cache.ts';
import type { Sql } from '../../src/store/sql/sql.ts';

export function idleParts(sql: Sql, more: object = {}): CoordinatorParts {
  const parts = {
    ...{ sql, self: 'here', httpAddress: 'here:1', version: '1.0.0', hasNats: false },
    ...{ revisions: new RevisionCache(sql), diagnosticsImage: 'x', readiness: new Readiness() },
    logins: { sql, credentials: {}, trail: { settle: async () => undefined } },
    system: { ownerOf: () => undefined, stats: () => ({ kinds: {}, mailParked: 0, isRunning: true }) },
    ...more,
  };
  return parts as unknown as CoordinatorParts;
}
