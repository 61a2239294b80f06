/** The page about errors says which codes the client repeats by itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { RefusedError } from '../../src/client/errors.ts';
import { mayPass } from '../../src/client/retrying.ts';

const PAGE = join(import.meta.dirname, '../../docs/errors.md');
const ROW = /^\| (`[A-Z_`, ]+`) +\| (\d{3}) +\| .* \| ([^|]+?) +\|$/gm;

t.test('client: it repeats what the page about errors says, and nothing else', (t) => {
  const rows = [...readFileSync(PAGE, 'utf8').matchAll(ROW)];
  t.ok(rows.length > 40, 'the table is read');
  for (const [, names = '', status, retry = ''] of rows) {
    for (const [, code = ''] of names.matchAll(/`([A-Z_]+)`/g)) {
      const refusal = { status: Number(status), code, detail: 'x', problems: [] };
      const error = new RefusedError(
        { method: 'GET', path: '/v6/' },
        { ...refusal, requestId: undefined, retryAfterMs: undefined },
      );
      t.equal(mayPass(error), retry === 'yes', `${code}: ${retry}`);
    }
  }
  t.end();
});
