/** The configurations of executions, computed on request. Concurrent requests share a statement. */
import {
  type ExecutionConfiguration,
  executionConfiguration,
  NO_CONFIGURATION,
} from '../../domain/task/execution-tasks.ts';
import { dataLoader } from '../../lib/data-loader.ts';
import { readExecutionFacts } from '../../store/execution/configuration-facts.ts';
import type { Encryption } from '../../store/secret-key/encryption.ts';
import type { Sql } from '../../store/sql/sql.ts';

/** The configuration of an execution, by its id; an empty one if there is no such execution. */
export type ConfigurationOf = (executionId: number) => Promise<ExecutionConfiguration>;

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
    return facts === undefined ? NO_CONFIGURATION : executionConfiguration(facts);
  };
}
