/** Every error of the interface says what can be done about it, to the command line and in the console. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { RefusedError } from '../../src/client/errors.ts';
import { NEXT_STEPS, nextStep } from '../../src/client/next-steps.ts';

const PAGE = join(import.meta.dirname, '../../docs/errors.md');
const ROW = /^\| (`[A-Z_`, ]+`) +\| \d{3} +\|/gm;

interface Refused {
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly code: string;
  readonly retryAfterMs?: number;
}

function step({ method = 'GET', path = '/v6/jobs/', status = 503, code, retryAfterMs }: Refused): string {
  const refusal = { status, code, detail: 'x', problems: [], requestId: undefined, retryAfterMs };
  return nextStep(new RefusedError({ method, path }, refusal));
}

t.test('law: each code that the page about errors lists has a next step', (t) => {
  const listed = [...readFileSync(PAGE, 'utf8').matchAll(ROW)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([A-Z_]+)`/g)].map(([, code = '']) => code),
  );
  t.ok(listed.length > 40, 'the table is read');
  t.same(
    listed.filter((code) => NEXT_STEPS[code] === undefined),
    [],
    'codes that leave people without a next step',
  );
  t.same(
    Object.keys(NEXT_STEPS).filter((code) => !listed.includes(code)),
    [],
    'next steps of codes that the page does not list',
  );
  // The console makes sentences of them, and the command line lines.
  for (const [code, text] of Object.entries(NEXT_STEPS)) t.match(text, /^[a-z].*[^.]$/, code);
  t.end();
});

t.test('client: answers of a proxy, and codes of newer services, have a next step by their status', (t) => {
  for (const status of [400, 401, 403, 404, 408, 413, 418, 429, 500, 502, 503, 504])
    t.match(step({ status, code: `HTTP_${status}` }), /\w+ \w+/);
  t.match(step({ status: 413, code: 'HTTP_413' }), /proxy/);
  for (const code of ['constructor', '__proto__', 'toString']) t.match(step({ code }), /^try again/, code);
  t.end();
});

t.test('client: the next step names how long to wait, and that a change may have been made', (t) => {
  const limited = { status: 429, code: 'TOO_MANY_REQUESTS' };
  t.equal(step(limited), 'try again in some seconds');
  t.equal(step({ ...limited, retryAfterMs: 61_000 }), 'try again in 61 seconds');
  t.equal(step({ code: 'DEADLINE_EXCEEDED' }), 'try again in some seconds');
  t.match(step({ method: 'POST', code: 'DEADLINE_EXCEEDED' }), /^see whether it has been done/);
  t.notMatch(
    step({ method: 'POST', path: '/v6/jobs/cancel/?dry_run=true', code: 'DEADLINE_EXCEEDED' }),
    /done/,
  );
  t.notMatch(step({ method: 'POST', code: 'OVERLOADED' }), /done/, 'refused before any work began');
  t.end();
});
