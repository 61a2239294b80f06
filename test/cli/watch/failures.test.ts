/** What a watch says of a failed job. */
import t from 'tap';
import { failureOf } from '../../../src/cli/watch/failures.ts';
import { createNodeClient } from '../../../src/client/node.ts';

/** Nobody answers there: the cause and the end of standard error are in the record of the job. */
const CLIENT = createNodeClient({ server: 'http://127.0.0.1:1', retryForMs: 0 });
type Job = Parameters<typeof failureOf>[1];

t.test(
  'failures: the end of standard error comes from the reason, not from a log that may come later',
  async (t) => {
    const lines = ['1', '2', '', '3', '4', '5', 'run: line 1: jqq: command not found'];
    for (const [reason, cause, stderr] of [
      [
        `exit code 127; standard error ends with:\n${lines.join('\n')}`,
        'exit code 127',
        ['2', '3', '4', '5', lines.at(-1)],
      ],
      [
        'ended after 20 s, its time limit; standard error shows nothing',
        'ended after 20 s, its time limit',
        [],
      ],
      [`'a;b' is not there`, `'a;b' is not there`, []],
    ] as const) {
      const job = {
        id: 7,
        reason,
        error: { name: 'algorithm-unknown', title: 'Algorithm Failure' },
      } as unknown as Job;
      const reader = { client: CLIENT, jobTypeName: 'x', typed: (command: string) => command };
      const failure = await failureOf(reader, job, new AbortController().signal);
      t.strictSame(failure, { reason: `Algorithm Failure: ${cause}`, stderr, advice: [] });
    }
  },
);
