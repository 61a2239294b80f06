/** What must hold of requests with a key: each makes one thing, whoever asks how often, and gets one answer. */
import type { KeyedRequest } from '../requests/keyed-requests.ts';
import type { World } from '../world.ts';
import type { PurgeLaws } from './purge-laws.ts';

type Fail = (law: string, what: string) => void;

export function checkKeys(
  { store: { tables } }: World,
  requests: readonly KeyedRequest[],
  purges: PurgeLaws,
  fail: Fail,
): void {
  const isMade = (kind: KeyedRequest['wanted']['kind'], id: number): boolean => {
    if (kind === 'job') return tables.jobs.get(id) !== undefined || purges.hasTaken(id);
    return (kind === 'batch' ? tables.batches : tables.jobRequests).get(id) !== undefined;
  };
  for (const { key, wanted, ids, answers, misuses } of requests) {
    const made = ids.filter((id) => isMade(wanted.kind, id));
    if (made.length !== 1) fail('a key makes one record', `${key} has made ${made.length}: ${made}`);
    const [first = ''] = answers;
    if (answers.some((one) => one !== first)) fail('a key has one answer', `${key}: ${answers.join(' ')}`);
    const isNamed = wanted.kind === 'job_request' || first.includes(`"id":${made[0]}}`);
    if (!isNamed) fail('an answer names what was made', `${key} has made ${made[0]}: ${first}`);
    const misused = misuses.find((one) => one !== 'refused');
    if (misused !== undefined) fail('a key is of one request', `${key}: ${misused}`);
  }
}
