/** Seeded bugs in the agent's own files: each has to fail the assertion of the check that is named. */

export interface Mutant {
  readonly name: string;
  /** From the root of the sources. */
  readonly file: string;
  /** Occurs once. */
  readonly from: string;
  readonly to: string;
  readonly caughtBy: string;
  readonly needsRoot?: boolean;
}

const RUNNER = 'node-agent/task/runner.ts';
const RECORDED = 'await spool.record(report);\n';
const RELEASED = 'await this.#release(held);\n  }';
const FORGOTTEN = 'this.#options.launches.forget(task.executionId);';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a report is sent before its append is durable',
    file: 'node-agent/data/spool.ts',
    from: 'await this.#journal.append(',
    to: 'void this.#journal.append(',
    caughtBy: 'no report leaves before it is durable',
  },
  {
    name: 'an append is durable before it is synced',
    file: 'node-agent/data/journal.ts',
    from: 'if (isSynced) await this.#datasync();',
    to: 'if (isSynced) void this.#datasync();',
    caughtBy: 'no report leaves before it is durable',
  },
  {
    name: 'a slot is given back before the report is durable',
    file: RUNNER,
    from: RECORDED,
    to: 'void spool.record(report);\n',
    caughtBy: 'the slot is lent until the report is durable',
    needsRoot: true,
  },
  {
    name: 'a folder goes before the report is durable',
    file: RUNNER,
    from: RECORDED,
    to: `await this.#options.folders.remove(task.executionId);\n${RECORDED}`,
    caughtBy: 'the folder stays until the report is durable',
  },
  {
    name: 'a folder goes before the report is acknowledged',
    file: RUNNER,
    from: RELEASED,
    to: `await this.#options.folders.remove(task.executionId);\n${RELEASED}`,
    caughtBy: 'the folder stays until the report is acknowledged',
  },
  {
    name: 'a product goes before the report is durable',
    file: RUNNER,
    from: RECORDED,
    to: `await this.#discard({ ...report, spoolId: 0 });\n${RECORDED}`,
    caughtBy: 'the product stays until the report is durable',
  },
  {
    name: 'a launch is forgotten before the report is durable',
    file: RUNNER,
    from: RECORDED,
    to: `${FORGOTTEN}\n${RECORDED}`,
    caughtBy: 'the launch is known until the report is durable',
  },
  {
    name: 'a launch is forgotten before the report is acknowledged',
    file: RUNNER,
    from: RELEASED,
    to: `${FORGOTTEN}\n${RELEASED}`,
    caughtBy: 'the launch is known until the report is acknowledged',
  },
  {
    name: 'a report is forgotten before its launch',
    file: RUNNER,
    from: '    launches.forget(executionId);\n    spool.forget(spoolId);\n',
    to: '    spool.forget(spoolId);\n    launches.forget(executionId);\n',
    caughtBy: 'the launch is forgotten before the report',
  },
];
