/** The part of the client that pages load uses nothing of Node and no packages. */
import { join } from 'node:path';
import { build } from 'esbuild';
import t from 'tap';

t.test('client: the entry for pages imports nothing of Node and no package', async (t) => {
  const root = join(import.meta.dirname, '../..');
  const { metafile, warnings } = await build({
    entryPoints: [join(root, 'src/client/browser.ts')],
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'esm',
    minify: true,
  });
  t.strictSame(warnings, []);
  const inputs = Object.keys(metafile.inputs);
  t.ok(inputs.includes('src/client/changes.ts'));
  t.strictSame(
    inputs.filter((path) => !path.startsWith('src/client/')),
    [],
  );
  const [output] = Object.values(metafile.outputs);
  t.ok((output?.bytes ?? 0) < 40_000, `${output?.bytes} bytes`);
});
