/** Damage to what jobs have made of swapped inputs: see baits.ts. */
import { closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BAIT_TYPE, mayFail, pipesOf } from './baits.ts';
import type { Damage, Ground } from './damage.ts';
import { productOf } from './files.ts';
import type { FileSeen, JobSeen } from './observed.ts';
import { changeRows, doubleRow } from './rows.ts';

function failedJob({ seen }: Ground): JobSeen {
  const found = seen.jobs.find(mayFail);
  if (found === undefined) throw new Error('no job of a bait has failed');
  return found;
}

function products({ seen, ledger }: Ground): readonly FileSeen[] {
  const names = new Set(ledger.baits.map(({ name }) => productOf(name)));
  return seen.files.filter(({ file_name: name }) => names.has(name));
}

export const BAIT_DAMAGES: readonly Damage[] = [
  {
    what: 'a product has the content of a foreign file, and its record says so',
    plant: async (ground) => {
      const { all, ledger } = ground;
      const [product] = products(ground);
      const bait = ledger.baits.find(({ name }) => productOf(name) === product?.file_name);
      if (product === undefined || bait === undefined) throw new Error('no job of a bait has completed');
      const at = join(all.world.at.archive, product.file_path);
      const own = readFileSync(at);
      writeFileSync(at, readFileSync(bait.foreignAt));
      const undoRow = await changeRows(all, 'file', `id = ${product.id}`, { sha256: bait.foreign });
      const undo = async () => {
        writeFileSync(at, own);
        await undoRow();
      };
      const says = `product ${product.file_name} (file ${product.id}): holds what lies outside`;
      return { undo, says };
    },
  },
  {
    what: 'a job whose input was swapped is tried again',
    plant: async (ground) => {
      const { id } = failedJob(ground);
      const last = `job_id = ${id} and exe_num = (select max(exe_num) from job_exe where job_id = ${id})`;
      const undo = await doubleRow(ground.all, 'job_exe', last, { exe_num: 900 });
      return { undo, says: `job ${id} (${BAIT_TYPE}): was tried again after missing-file` };
    },
  },
  {
    what: 'a job whose input was swapped completes without a product',
    plant: async (ground) => {
      const { id } = ground.seen.jobs.filter(mayFail).at(-1) ?? failedJob(ground);
      const undo = await changeRows(ground.all, 'job', `id = ${id}`, { status: 'COMPLETED' });
      return { undo, says: `job ${id} (${BAIT_TYPE}): is COMPLETED and has 0 products` };
    },
  },
  {
    what: 'somebody waits for the other end of a pipe',
    plant: async ({ all }) => {
      const [pipe = ''] = pipesOf(all);
      const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
      return { undo: async () => closeSync(reader), says: `${pipe}: a thread waits` };
    },
  },
];
