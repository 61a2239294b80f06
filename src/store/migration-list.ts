/** Every migration there is, in order, as the migrator takes them. Append-only once released. */
import { Migration } from '@mikro-orm/migrations';
import * as initial from './migrations/0001-initial.ts';

interface MigrationFile {
  readonly name: string;
  /** Whether a coordinator of the previous schema must not run beside this one. */
  readonly isBreaking: boolean;
  readonly up: readonly string[];
}

export const MIGRATION_FILES: readonly MigrationFile[] = [initial];

/** Classes for the migrator; each runs its statements in one transaction. */
export const MIGRATIONS = MIGRATION_FILES.map((file) => ({
  name: file.name,
  class: class extends Migration {
    override up(): void {
      for (const statement of file.up) this.addSql(statement);
    }
  },
}));
