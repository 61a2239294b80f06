/** Snakemake on the graph of a recipe of four jobs, so many times. Never in a tiny run. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from '../harness/bench.ts';
import { missingPeer } from '../harness/debian.ts';
import { OWN_METER, rate } from '../harness/meter.ts';
import { runToEnd } from '../harness/program.ts';
import type { Sample } from '../harness/results/result.ts';

const CORES = 2;

const rule = (name: string, after: string | undefined): string =>
  [
    `rule ${name}:`,
    ...(after === undefined ? [] : [`    input: "{n}.${after}"`]),
    `    output: "{n}.${name}"`,
    '    shell: "touch {output}"',
  ].join('\n');

export async function openSnakemake(
  bench: Bench,
  recipes: number,
): Promise<{ missing?: string | undefined; run(): Promise<Sample> }> {
  const missing = bench.isTiny ? 'not in this run' : await missingPeer(bench, ['snakemake'], 'snakemake');
  const run = async (): Promise<Sample> => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-snakemake-'));
    try {
      const last = `expand("{n}.{end}", n=range(${recipes}), end=["third", "below"])`;
      writeFileSync(
        join(folder, 'Snakefile'),
        [
          `rule all:\n    input: ${last}`,
          rule('first', undefined),
          rule('second', 'first'),
          rule('third', 'first'),
          rule('below', 'second'),
          '',
        ].join('\n'),
      );
      const argv = ['snakemake', '--quiet', 'all', '--cores', String(CORES), '--directory', folder];
      const file = ['--snakefile', join(folder, 'Snakefile')];
      return await rate(recipes, OWN_METER, () => runToEnd([...argv, ...file]));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  return { missing, run };
}
