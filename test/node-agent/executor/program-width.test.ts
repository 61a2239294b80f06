import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { has32BitPrograms } from '../../../node-agent/executor/program-width.ts';

const program = (bits: 32 | 64) => Buffer.from(`\x7fELF${bits === 32 ? '\x01' : '\x02'}\x01\x01`, 'latin1');

t.test('programs: a 32-bit program is found wherever it lies', async (t) => {
  const folder = t.testdir({
    bin: { script: '#!/bin/sh\n', empty: '' },
    lib: { data: program(32) },
  });
  for (const name of ['script', 'empty']) chmodSync(join(folder, 'bin', name), 0o755);
  writeFileSync(join(folder, 'bin/native'), program(64), { mode: 0o755 });
  symlinkSync('/no/such/program', join(folder, 'bin/link'));
  t.equal(await has32BitPrograms(folder), false, 'what is no program does not count');
  mkdirSync(join(folder, 'opt/deep'), { recursive: true });
  writeFileSync(join(folder, 'opt/deep/old'), program(32), { mode: 0o711 });
  t.equal(await has32BitPrograms(folder), true);
});

t.test('programs: a file whose name cannot be read counts as a 32-bit program', async (t) => {
  const folder = t.testdir({});
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]), '', { mode: 0o755 });
  t.equal(await has32BitPrograms(folder), true);
});
