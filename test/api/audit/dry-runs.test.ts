/** Dry runs change nothing, and are no changes for the audit. A call that may change something always has a row. */
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { serviceRoutes } from '../../../src/api/service.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { DRY_RUN, dryRun } from '../../../src/http/request/dry-run.ts';
import { flag } from '../../../src/http/request/parameters.ts';
import { defineRoute, type Route, reply } from '../../../src/http/route.ts';
import { accessWorldOf } from '../../support/worlds/access-world.ts';

const OPEN = { isAuthOn: false } as const;
const Did = Type.Object({ is_dry: Type.Boolean() });

/** Does what its own reading of the query says. */
function deciding(path: string, isDry: (query: { readonly dry_run?: boolean | undefined }) => boolean) {
  return defineRoute({
    ...{ method: 'POST', path, summary: 'Decides', replies: { 200: Did } },
    query: { dry_run: dryRun, name: flag('Another one.') },
    handle: ({ query }, _deps: object) => reply(200, { is_dry: isDry(query) }),
  } as const);
}

const QUERIES = [
  ...['', 'dry_run=true', 'dry_run=false', 'dry_run=', 'dry_run', 'dry_run=1', 'dry_run=0', 'dry_run=yes'],
  ...[
    'dry_run=true&dry_run=false',
    'dry_run=false&dry_run=true',
    'dry_run=true&dry_run=',
    'dry_run=true&dry_run',
  ],
  ...[
    'dry_run=true&dry_run=x',
    'dry_run=x&dry_run=true',
    'dry_run=TRUE',
    'dry_run=%20true+',
    'dry_run=tru%65',
  ],
  ...['%64ry_run=true', '%64ry_run=true&dry_run=false', 'dry_run=true&%64ry_run=false', 'DRY_RUN=true'],
  ...['dry_run%3Dtrue', 'dry_run[]=true', 'dry_run=true;dry_run=false', '_dry_run=true', 'dry_run=true&_=1'],
  ...[
    'dry_run=true&name=x',
    'name=true',
    'other=1&dry_run=true',
    'dry_run=true&%',
    'dry_run=true%00',
    '&dry_run=true&',
  ],
  ...['dry_run=true#', '?dry_run=true', 'dry_run=true?', 'dry_run==true'],
];

t.test(
  'audit: what the call itself takes for a dry run has no row, and everything else has one',
  async (t) => {
    const seen = (query: { readonly dry_run?: boolean | undefined }) => query.dry_run === true;
    // Under the interface's own prefix unknown parameters are refused, elsewhere they are ignored.
    const routes = [deciding('/v6/decides/', seen), deciding('/decides/', seen)];
    const world = await accessWorldOf(t, OPEN, routes, () => ({}));
    for (const { path } of routes) {
      for (const query of QUERIES) {
        const before = (await world.entries()).length;
        const { status, json } = await world.call('POST', `${path}?${query}`);
        const rows = (await world.entries()).slice(before);
        if (status === 200) t.equal(rows.length, json.is_dry ? 0 : 1, `${path}?${query} ${json.is_dry}`);
        else t.equal(status, 400, `${path}?${query}`);
        t.same(
          rows.map((row) => row.status),
          rows.map(() => status),
        );
      }
    }
  },
);

/** Calls find nothing, whichever part they ask. */
const NOTHING: object = new Proxy(() => undefined, {
  get: () => NOTHING,
  apply() {
    throw new AppError('NOT_FOUND', 'there is nothing here');
  },
});

t.test(
  'law: every call with dry runs reads the parameter alike, and only its dry runs have no row',
  async (t) => {
    const routes: readonly Route<never>[] = serviceRoutes('1.0.0');
    const withDryRun = routes.filter(({ query }) => query !== undefined && DRY_RUN in query);
    t.ok(withDryRun.length > 8, 'the routes are found');
    const world = await accessWorldOf(t, OPEN, routes, () => NOTHING as never);
    for (const { method, path, query, body } of withDryRun) {
      // The old interface has no dry runs, and refuses the parameter.
      const hasDryRuns = path.startsWith('/v6/');
      t.equal(query?.[DRY_RUN] === dryRun, hasDryRuns, `${method} ${path}`);
      const target = path.replaceAll(/\{\w+\}/g, '1');
      for (const [sent, rows] of [
        ['?dry_run=true', hasDryRuns ? 0 : 1],
        ['', 1],
        ['?dry_run=true&dry_run=false', 1],
      ] as const) {
        const before = (await world.entries()).length;
        await world.call(method, `${target}${sent}`, body === undefined ? undefined : {});
        t.equal((await world.entries()).length - before, rows, `${method} ${path}${sent}`);
      }
    }
  },
);
