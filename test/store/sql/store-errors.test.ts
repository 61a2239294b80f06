import t from 'tap';
import { AppError } from '../../../src/domain/errors.ts';
import { AssertionError } from '../../../src/lib/assert.ts';
import { commitError, constraintOf, sqlStateOf, storeError } from '../../../src/store/sql/store-errors.ts';
import { makeEnd, savedJob } from '../make.ts';
import { EPOCH, NOW, storeWorld } from '../store-world.ts';

const driverError = (code: string, over: object = {}) =>
  Object.assign(new Error('of the driver'), { code, ...over });

t.test('storeError: an error of the server’s state is an outage', async (t) => {
  for (const code of [
    ...['08006', '25006', '25P03', '25P04', '26000', '28000', '28P01', '3D000'],
    ...['40001', '40003', '40P01', '42501', '55000', '55P03', '72000', 'F0001', 'XX000'],
    '53100',
    '53300',
    '57P01',
    '57P03',
    '58030',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ENOENT',
  ]) {
    t.match(storeError(driverError(code)), { code: 'STORE_UNAVAILABLE', kind: 'unavailable' }, code);
  }
  for (const message of ['Connection terminated unexpectedly', 'timeout exceeded when trying to connect']) {
    t.match(storeError(new Error(message)), { code: 'STORE_UNAVAILABLE' }, message);
  }
});

t.test('storeError: an outage says what the database lacks', async (t) => {
  for (const [code, message] of [
    ['53100', "the database's disk is full: free some space on it"],
    ['53300', 'the database takes no more connections'],
    ['53200', 'the database is short of resources'],
  ] as const)
    t.match(storeError(driverError(code)), { message }, code);
});

t.test('storeError: a statement that took too long says so', async (t) => {
  t.match(storeError(driverError('57014')), { code: 'QUERY_TOO_SLOW', retryable: true });
});

t.test('storeError: an error of the statement itself is not changed', async (t) => {
  for (const code of ['23505', '22P05', '25001', '40002', '42601', '42P01', '54000']) {
    const error = driverError(code);
    t.equal(storeError(error), error, code);
  }
  const own = new AppError('NOT_FOUND', 'none');
  t.equal(storeError(own), own);
  t.equal(storeError('text'), 'text');
  const bug = new Error('a bug');
  t.equal(storeError(bug), bug);
});

t.test(
  'commitError: constraints, values, deadlocks and serialisation failures refuse the group',
  async (t) => {
    for (const code of ['23505', '23503', '23514', '22P05', '22003', '54000', 'P0001']) {
      t.match(commitError(driverError(code)), { name: 'TurnRefused', turns: [], isLasting: true }, code);
    }
    for (const code of ['40001', '40P01']) {
      const refused = { name: 'TurnRefused', turns: [], isLasting: false };
      t.match(commitError(storeError(driverError(code))), refused, code);
    }
    for (const defect of [
      new TypeError('of undefined'),
      new RangeError('length'),
      new AssertionError('no'),
    ]) {
      t.match(commitError(defect), { name: 'TurnRefused', isLasting: true, cause: defect }, defect.name);
    }
    t.match(commitError(driverError('23505', { constraint: 'file_path_key' })), { message: /file_path_key/ });
  },
);

t.test('commitError: an unexpected schema and outages refuse no turn', async (t) => {
  for (const error of [driverError('42703'), new Error('bug'), new AppError('STORE_UNAVAILABLE', 'gone')]) {
    t.equal(commitError(error), error);
  }
});

t.test('sqlStateOf: only a text of five characters is a state', async (t) => {
  t.equal(sqlStateOf(driverError('23505')), '23505');
  t.equal(sqlStateOf(driverError('EPIPE')), undefined);
  t.equal(sqlStateOf(driverError('ECONNRESET')), undefined);
  t.equal(sqlStateOf(undefined), undefined);
  t.equal(constraintOf(new Error('none')), undefined);
});

t.test(
  'apply: a broken connection saves a group whole or not at all, and reports it as uncertain',
  async (t) => {
    const world = await storeWorld(t);
    const jobs = await Promise.all(Array.from({ length: 20 }, () => savedJob(world)));
    const killed = { count: 0 };
    const outcomes = await Promise.all(
      jobs.map(async (job, at) => {
        if (at % 4 === 0) {
          const rows = await world
            .rows(
              `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
            )
            .catch(() => []);
          killed.count += rows.length;
        }
        const moves = [makeEnd(job.id, { atMs: NOW + at })];
        return world.port
          .apply([{ shard: 1, epoch: EPOCH, changes: [{ type: 'moveJobs', moves }] }])
          .then(() => 'saved')
          .catch((error: AppError) => error.code);
      }),
    );
    t.same(new Set(outcomes.filter((one) => one !== 'saved' && one !== 'STORE_UNAVAILABLE')), new Set());
    t.ok(killed.count > 0, 'some were broken');
    for (const [at, job] of jobs.entries()) {
      const { status } = await world.one<{ status: string }>('select status from job where id = $1', [
        job.id,
      ]);
      if (outcomes[at] === 'saved') t.equal(status, 'COMPLETED');
    }
  },
);
