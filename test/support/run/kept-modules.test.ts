import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { KeptModules } from './kept-modules.ts';

const PRINTS = `
import { getCompileCacheDir } from 'node:module';
import { place, type Place } from './place.ts';
const at: Place = place();
process.stdout.write(JSON.stringify({ ...at, isCached: getCompileCacheDir() !== undefined }));
`;
const PLACE = `
export interface Place { readonly line: string; readonly dir: string }
export function place(): Place {
  return { line: /place[.]ts:\\d+:\\d+/.exec(new Error().stack ?? '')?.[0] ?? '', dir: import.meta.dirname };
}
`;

t.test('kept modules: a file loads the same modules from the second process on', async (t) => {
  const root = t.testdir({
    'place.ts': PLACE,
    'a.test.ts': PRINTS,
    'b.test.ts': `// counts by work-counter\n${PRINTS}`,
  });
  const modules = await KeptModules.make();
  t.teardown(() => modules.remove());
  const run = (name: string) => {
    const { args, env } = modules.startOf(join(root, name));
    const output = execFileSync(process.execPath, [...args, join(root, name)], { env, encoding: 'utf8' });
    return JSON.parse(output) as unknown;
  };

  const place = { line: 'place.ts:4:44', dir: root };
  t.strictSame(run('a.test.ts'), { ...place, isCached: true });
  t.strictSame(run('a.test.ts'), { ...place, isCached: true });
  t.strictSame(run('b.test.ts'), { ...place, isCached: false }, 'no compiled code where work is counted');
});

t.test('kept modules: tap is one module, whose frames are in no stack', async (t) => {
  const source = `import t from 'tap';
    process.stdout.write('# ' + import.meta.resolve('tap') + '\\n');
    t.test('fails', async (t) => { t.equal(1, 2); });`;
  const root = t.testdir({ 'a.test.ts': source });
  const modules = await KeptModules.make();
  t.teardown(() => modules.remove());
  const file = join(root, 'a.test.ts');
  const { args, env } = modules.startOf(file);
  const { stdout } = spawnSync(process.execPath, [...args, file], { env, cwd: root, encoding: 'utf8' });
  const [, loaded = ''] = /^# (\S+)/m.exec(stdout) ?? [];
  t.ok(loaded.startsWith('file:') && existsSync(new URL(loaded)));
  t.match(stdout, /not ok 1 - should be equal/);
  t.match(stdout, /a\.test\.ts:3:\d+/);
  t.notOk(stdout.replace(loaded, '').includes('/tap.mjs'), stdout);
});

t.test(
  'kept modules: packages that many files load are one module each, with all of their names',
  async (t) => {
    const source = `import { isMessage } from '@bufbuild/protobuf';
    import { MikroORM } from '@mikro-orm/core';
    import { defineConfig, MikroORM as OfPostgres } from '@mikro-orm/postgresql';
    import pg, { Client } from 'pg';
    import { createRequire } from 'node:module';
    const discovery = { warnWhenNoEntities: false };
    const orm = await OfPostgres.init(defineConfig({ entities: [], dbName: 'none', discovery }));
    const required = createRequire(import.meta.url)('pg');
    process.stdout.write(JSON.stringify({
      places: ['@mikro-orm/core', '@mikro-orm/postgresql', 'pg'].map((name) => import.meta.resolve(name)),
      isOne: orm instanceof MikroORM && pg.Client === Client,
      hasNames: typeof isMessage === 'function',
      isRequired: typeof required.Client === 'function',
    }));
    await orm.close();`;
    const folder = mkdtempSync(join(import.meta.dirname, 'kept-'));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'a.ts');
    writeFileSync(file, source);
    const modules = await KeptModules.make();
    t.teardown(() => modules.remove());
    const { args, env } = modules.startOf(file);
    const said = execFileSync(process.execPath, [...args, file], { env, encoding: 'utf8' });
    const { places, ...rest } = JSON.parse(said) as { readonly places: readonly string[] };
    const kept = pathToFileURL(dirname(String(args.at(-1)))).href;
    t.strictSame(
      places.filter((place) => !place.startsWith(`${kept}/`)),
      [],
    );
    t.strictSame(rest, { isOne: true, hasNames: true, isRequired: true });
  },
);

t.test('kept modules: nothing is left of them', async (t) => {
  const modules = await KeptModules.make();
  const folder = dirname(String(modules.startOf(import.meta.filename).args.at(-1)));
  t.ok(existsSync(folder));
  modules.remove();
  t.notOk(existsSync(folder));
});
