/** Failures as answers: codes, statuses, and what stays in the log. */
import t from 'tap';
import { AppError } from '../../src/domain/errors.ts';
import { KernelError } from '../../src/kernel/mod.ts';
import { makeThings } from '../support/things.ts';

t.test('problem: an expected failure shows its code, an unexpected one only the request id', async (t) => {
  const { things, get, log } = makeThings();
  things.failure = new AppError('STATE_CONFLICT', 'already launched', { secret: 'x' });
  const conflict = await get('/v6/fail/');
  t.strictSame(conflict.json, { detail: 'already launched', code: 'STATE_CONFLICT', errors: [] });
  t.equal(conflict.status, 409);

  const errors = [{ name: 'A', description: 'b', path: 'c' }];
  things.failure = new AppError('INVALID_CONFIGURATION', 'no', { errors });
  t.match(await get('/v6/fail/'), { status: 400, json: { errors } });

  things.failure = new AppError('STORE_UNAVAILABLE', 'try again');
  const unavailable = await get('/v6/fail/');
  t.equal(unavailable.status, 503);
  t.match(unavailable.headers.get('retry-after'), /^\d+$/);
  t.strictSame(
    log.filter((line) => line.level === 'error'),
    [],
    'expected failures are no errors of ours',
  );

  things.failure = new Error('password=hunter2');
  const unexpected = await get('/v6/fail/');
  t.match(unexpected, { status: 500, json: { code: 'INTERNAL', detail: /request-1/ } });
  t.notMatch(unexpected.text, /hunter2/);
  t.match(
    log.find((line) => line.level === 'error'),
    { fields: { request_id: 'request-1', error: things.failure } },
  );
});

t.test('dispatch: refusals of the kernel and of actors have codes of the catalogue', async (t) => {
  const { things, get } = makeThings();
  const cases = [
    ['MAILBOX_FULL', 503, 'MAILBOX_FULL'],
    ['DEADLINE', 503, 'DEADLINE_EXCEEDED'],
    ['NOT_OWNER', 503, 'OWNER_UNAVAILABLE'],
    ['UNAVAILABLE', 503, 'OWNER_UNAVAILABLE'],
    ['STOPPING', 503, 'SHUTTING_DOWN'],
    ['CONFLICT', 409, 'CONFLICT'],
    ['STATE_CONFLICT', 409, 'STATE_CONFLICT'],
    ['HANDLER_FAILED', 500, 'INTERNAL'],
    ['NO_SUCH_CODE', 500, 'INTERNAL'],
  ] as const;
  for (const [kernelCode, status, code] of cases) {
    things.failure = new KernelError({ code: kernelCode, message: 'x' });
    const answer = await get('/v6/fail/');
    t.match(answer, { status, json: { code } }, kernelCode);
    t.equal(answer.headers.has('retry-after'), status === 503);
  }
});
