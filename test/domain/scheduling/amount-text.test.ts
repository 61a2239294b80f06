import t from 'tap';
import { amountText, comparedAmounts, resourceWord } from '../../../src/domain/scheduling/amount-text.ts';

t.test('amounts: memory and disk are written in MiB, GiB or TiB, and others as numbers', async (t) => {
  t.equal(amountText('mem', 4_194_304), '4 TiB of memory');
  t.equal(amountText('mem', 512), '512 MiB of memory');
  t.equal(amountText('disk', 1_536), '1.5 GiB of disk');
  t.equal(amountText('sharedmem', 0.5), '0.5 MiB of shared memory');
  t.equal(amountText('cpus', 0.1 + 0.2), '0.3 processors');
  t.equal(amountText('cpus', 1), '1 processor');
  t.equal(amountText('gpus', 2), '2 GPUs');
  t.equal(amountText('gpus', 1), '1 GPU');
  t.equal(amountText('licences', 1), '1 licences', 'of others only the name is known');
  t.equal(resourceWord('gpus'), 'GPUs');
  t.equal(resourceWord('executor docker'), 'executor docker');
});

t.test('amounts: two different amounts in a comparison have different texts', async (t) => {
  t.strictSame(comparedAmounts('mem', 4_096, 512), { wanted: '4 GiB of memory', there: '512 MiB' });
  t.strictSame(comparedAmounts('mem', 16_384, 16_383), { wanted: '16384 MiB of memory', there: '16383 MiB' });
  t.strictSame(comparedAmounts('disk', 2_048, 2_048), { wanted: '2 GiB of disk', there: '2 GiB' });
  t.strictSame(comparedAmounts('cpus', 64, 2), { wanted: '64 processors', there: '2' });
});
