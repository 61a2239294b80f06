/** `changes`, over answers of which each has a part of what was asked for. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { createWorld } from '../../e2e/harness/world.ts';
import { typed } from './typed-process.ts';

/** The most changes that an answer has. */
const PAGE_MAX = 1_000;
/** More than two answers have. */
const ALL = 2_100;

t.test('changes: answers that are empty or full before the end are continued', async (t) => {
  const world = await createWorld(t);
  // The first answer has examined as many changes as it may, and found none.
  const answers = createServer(({ url = '' }, response) => {
    const { searchParams: query } = new URL(url, 'http://localhost');
    const [, begin] = /^after-(\d+)$/.exec(query.get('after') ?? '') ?? [];
    const first = begin === undefined ? ALL : Number(begin);
    const limit = Math.min(Number(query.get('limit')), PAGE_MAX, begin === undefined ? 0 : ALL - first);
    const changes = Array.from({ length: limit }, (_, index) => ({
      ...{
        cursor: `after-${first + index + 1}`,
        at: '2026-11-28T10:00:00.000Z',
        kind: 'job',
        what: 'edited',
      },
      ...{ id: first + index + 1, object_version: 2 },
    }));
    const next = begin === undefined ? 0 : first + limit;
    response.setHeader('content-type', 'application/json');
    response.setHeader('x-request-id', 'made-up');
    response.end(
      JSON.stringify({
        changes,
        cursor: `after-${next}`,
        is_at_end: begin !== undefined && first + limit === ALL,
      }),
    );
  });
  await new Promise<void>((done) => answers.listen(0, '127.0.0.1', done));
  t.teardown(() => answers.close());
  const env = { MILLRACE_SERVER: `http://127.0.0.1:${(answers.address() as AddressInfo).port}` };
  const shown = async (...args: string[]) => typed(world, ['changes', '--kind', 'job', ...args], env);
  const some = await shown('--limit', '3', '-o', 'name');
  t.same(some, {
    code: 0,
    out: 'job/1\njob/2\njob/3\n',
    err: 'there are more: --after after-3 shows them\n',
  });
  const many = await shown('--limit', '5000', '-o', 'name');
  t.match(many, { code: 0, err: '' });
  t.equal(many.out.split('\n').length - 1, ALL);
  const document = JSON.parse((await shown('--limit', '1500', '-o', 'json')).out);
  t.match([document.changes.length, document.cursor, document.is_at_end], [1_500, 'after-1500', false]);
});
