/**
 * Listing a local directory as an agent does for scans, in pages by path: many directories of 100 files, and one with
 * all of them.
 *
 * Beside it `find`, which sorts nothing; and `lstat` alone, of names that are known, by their paths.
 */
import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles } from '../../src/storage/listing/listing.ts';
import { LocalRoot } from '../../src/storage/local-root.ts';
import { runBench } from '../harness/bench.ts';
import { OWN_METER, rate } from '../harness/meter.ts';
import { runToEnd } from '../harness/program.ts';

const FILES_EACH = 100;

/** The paths of the files. */
function fill(root: string, files: number, filesEach: number): string[] {
  const paths: string[] = [];
  for (let n = 0; n < files; n += 1) {
    const folder = join(root, `directory-${Math.floor(n / filesEach)}`);
    if (n % filesEach === 0) mkdirSync(folder, { recursive: true });
    const path = join(folder, `file-${n}.txt`);
    writeFileSync(path, '');
    paths.push(path);
  }
  return paths;
}

await runBench(import.meta.filename, async (bench) => {
  const files = bench.parameter('files', 300, 100_000);
  const parent = mkdtempSync(join(tmpdir(), 'millrace-listing-'));
  const [tree, flat] = [join(parent, 'tree'), join(parent, 'flat')];
  const list = async (root: string): Promise<void> => {
    let count = 0;
    for await (const page of listFiles(new LocalRoot(root), { recursive: true })) count += page.length;
    if (count !== files) throw new Error(`${count} of ${files} files were listed`);
  };
  const looks = (paths: readonly string[]) => async (): Promise<void> => {
    for (const path of paths) lstatSync(path, { bigint: true });
  };
  try {
    const paths = fill(tree, files, FILES_EACH);
    fill(flat, files, files);
    const find = ['sh', '-c', 'find "$1" -type f -printf "%p\\t%s\\t%T@\\t%i\\n" >/dev/null', 'sh', tree];
    await bench.compare({
      ...{ title: `${files} files`, unit: 'files/s', each: 'file' },
      subjects: [
        { name: `directories of ${FILES_EACH}`, work: () => rate(files, OWN_METER, () => list(tree)) },
        { name: 'one directory', work: () => rate(files, OWN_METER, () => list(flat)) },
        { name: '`lstat` alone', isPeer: true, work: () => rate(files, OWN_METER, looks(paths)) },
        { name: '`find`', isPeer: true, work: () => rate(files, OWN_METER, () => runToEnd(find)) },
      ],
    });
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});
