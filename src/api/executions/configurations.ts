/** The tasks of executions, computed on request. Requests at the same time share a statement. */
import { NOTHING_TOLD, type ToldExecution, toldExecution } from '../../domain/task/execution-tasks.ts';
import { dataLoader } from '../../lib/data-loader.ts';
import { readExecutionFacts } from '../../store/execution/configuration-facts.ts';
import type { Encryption } from '../../store/secret-key/encryption.ts';
import type { Sql } from '../../store/sql/sql.ts';

/** By the id of an execution. */
export type ConfigurationOf = (executionId: number) => Promise<ToldExecution>;

export function executionConfigurations({
  sql,
  encryption,
}: {
  readonly sql: Sql;
  readonly encryption: Encryption;
}): ConfigurationOf {
  const read = dataLoader((ids: readonly number[]) => readExecutionFacts(sql, encryption, ids), { lanes: 1 });
  return async (executionId) => {
    const facts = await read(executionId);
    return facts === undefined ? NOTHING_TOLD : toldExecution(facts);
  };
}
