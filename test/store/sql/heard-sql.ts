/** The SQL of a database whose statements a test hears before they run, those of transactions as well. */
import type { Sql } from '../../../src/store/sql/sql.ts';

export interface HeardStatement {
  /** Its text, if it has no name. */
  readonly name: string;
  readonly text: string;
  readonly params: readonly unknown[];
  /** Its query plan is kept. */
  readonly isKept: boolean;
}

export function heardSql(
  inner: Sql,
  hear: (heard: HeardStatement) => void | Promise<void>,
  isKept = false,
): Sql {
  return {
    async execute(statement, params = []) {
      const { name, text, isKeyed } =
        typeof statement === 'string' ? { name: statement, text: statement, isKeyed: false } : statement;
      // What has no name is planned each time.
      const isNamed = typeof statement !== 'string';
      // The caller may add to its list meanwhile.
      const given = [...params];
      await hear({ name, text, params: given, isKept: isNamed && (isKept || isKeyed === true) });
      return inner.execute(statement, given);
    },
    transaction: (work, kind) => inner.transaction((tx) => work(heardSql(tx, hear, kind === 'keyed')), kind),
  };
}
