/** MikroORM with connections of its own, for the migrator's thread and for the test that compares the schema. */
import { Migration, Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { MIGRATION_FILES, MIGRATION_TABLE } from './migration-list.ts';
import { ENTITIES } from './tables.ts';

const CONNECTIONS_MAX = 2;

/** Classes for the migrator; each runs its statements in one transaction. */
const MIGRATIONS = MIGRATION_FILES.map((file) => ({
  name: file.name,
  class: class extends Migration {
    override up(): void {
      for (const statement of file.up) this.addSql(statement);
    }
  },
}));

/** The caller closes it. */
export function openOrm(url: string, applicationName: string): MikroORM {
  return new MikroORM({
    entities: [...ENTITIES],
    clientUrl: url,
    // The URL may name a socket's directory, which only the driver's own parser understands.
    dbName: decodeURIComponent(new URL(url).pathname.slice(1)),
    driverOptions: { connectionString: url, application_name: applicationName, keepAlive: true },
    pool: { min: 0, max: CONNECTIONS_MAX },
    forceUtcTimezone: true,
    extensions: [Migrator],
    migrations: {
      migrationsList: MIGRATIONS,
      tableName: MIGRATION_TABLE,
      snapshot: false,
      silent: true,
      transactional: true,
      allOrNothing: true,
    },
    discovery: { warnWhenNoEntities: false },
  });
}
