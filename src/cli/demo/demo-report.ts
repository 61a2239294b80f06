/** The demo's report at the end: what was created, the origin of a product, and the speed. */
import type { Client } from '../../client/client.ts';
import type { StoredFile, Verdict } from './demo-check.ts';
import type { DemoFile } from './demo-files.ts';

export interface ReportParts {
  readonly client: Client;
  readonly say: (text: string) => void;
  readonly verdict: Verdict;
  readonly files: readonly DemoFile[];
  /** From the first file dropped to the last recipe complete. */
  readonly tookMs: number;
  /** From the first file dropped to the first product listed. */
  readonly firstMs: number;
  readonly memory: ReadonlyMap<string, number>;
  readonly recipeTypeName: string;
}

const LISTED = 6;

export async function report(parts: ReportParts): Promise<void> {
  const { say, verdict, files } = parts;
  const seconds = parts.tookMs / 1_000;
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  say(`\nProducts (${verdict.products.length}, the newest first):`);
  for (const product of verdict.products.slice(-LISTED).reverse()) {
    say(`  ${product.file_path}  ${product.file_size} bytes`);
  }
  const product = verdict.products[verdict.products.length - 1];
  if (product !== undefined) await tellAncestry(parts, product);
  say('\nFigures:');
  say(`  first product      ${(parts.firstMs / 1_000).toFixed(2)} s after the first file was dropped`);
  say(
    `  files              ${files.length} (${(bytes / 1_048_576).toFixed(1)} MiB) in ${seconds.toFixed(1)} s`,
  );
  const perSecond = (count: number): string => (count / seconds).toFixed(1);
  say(`  throughput         ${perSecond(files.length)} files/s, ${perSecond(2 * files.length)} jobs/s`);
  for (const [name, mib] of parts.memory) say(`  resident memory    ${mib.toFixed(0)} MiB (${name})`);
  if (verdict.problems.length === 0) {
    say(
      `\nChecked: ${verdict.sources} sources and ${verdict.products.length} products counted over HTTP and`,
    );
    say('hashed again on disk. All is well.');
    return;
  }
  say(`\n${verdict.problems.length} problems:`);
  for (const problem of verdict.problems.slice(0, 20)) say(`  ${problem}`);
}

/** Walks from a product through its job and the job's inputs back to the source. */
async function tellAncestry({ client, say }: ReportParts, product: StoredFile): Promise<void> {
  say('\nWhere the newest one came from:');
  let file: StoredFile = product;
  for (let depth = 1; ; depth++) {
    const indent = '  '.repeat(depth);
    say(`${indent}${file.file_type === 'SOURCE' ? 'source' : 'product'} ${file.id}: ${file.file_name}`);
    if (file.job === null) return;
    const job = await client.get('/v6/jobs/{id}/', { path: { id: file.job.id } });
    const { name, version } = job.job_type;
    const recipe = file.recipe === null ? '' : `, recipe ${file.recipe.id}`;
    const where = job.node === null ? '' : ` on ${job.node.hostname}`;
    const execution = `execution ${job.execution?.exe_num ?? '?'}`;
    say(`${indent}  made by job ${job.id} (${name} ${version})${where}, ${execution}${recipe}`);
    const inputId = Object.values(job.input.files).flat()[0];
    if (inputId === undefined) return;
    file = await client.get('/v6/files/{id}/', { path: { id: inputId } });
  }
}
