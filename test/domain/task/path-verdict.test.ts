import t from 'tap';
import {
  type PathHolder,
  type PathSituation,
  pathRequestProblem,
  pathVerdict,
} from '../../../src/domain/task/path-verdict.ts';

const HOLDER: PathHolder = {
  ...{ jobId: 1, executionId: 10, proof: 'a.1', size: 3, sha256: 'abc' },
  ...{ isRecorded: false, isUnfinished: true, inputs: ['notes.txt'] },
};

function verdict(
  foundProof: string,
  holder: Partial<PathHolder> | undefined,
  more: Partial<PathSituation> & { readonly executionId?: number; readonly sha256?: string } = {},
) {
  const { executionId = 10, sha256 = 'abc', ...situation } = more;
  const held = holder && { ...HOLDER, ...holder };
  return pathVerdict(
    { executionId, foundProof, size: 3, sha256 },
    { jobId: 1, isRunning: true, holder: held, otherFileId: undefined, ...situation },
  );
}

t.test('path verdict: a path without a holder is reserved unless a file is there or recorded', async (t) => {
  t.equal(verdict('', undefined).verdict, 'reserved');
  t.match(verdict('x', undefined), { verdict: 'taken', reason: 'there is a file that no job has stored' });
  const recorded = { otherFileId: 5 };
  t.match(verdict('', undefined, recorded), { verdict: 'taken', reason: 'file 5 is recorded there' });
});

t.test(
  'path verdict: the holding job may keep or replace its own file, but not a foreign or recorded one',
  async (t) => {
    t.equal(verdict('', {}).verdict, 'reserved', 'nothing was stored, or the file was removed');
    t.equal(verdict('a.1', {}).verdict, 'kept', 'the same execution again');
    t.equal(verdict('a.1', {}, { sha256: 'other' }).verdict, 'replace', 'with another content');
    t.equal(verdict('a.1', {}, { executionId: 11 }).verdict, 'replace', 'another execution');
    t.equal(verdict('a.1.pending', {}).verdict, 'replace', 'an upload that did not end');
    t.equal(verdict('b.1', {}).verdict, 'taken', 'a foreign file');
    t.equal(verdict('', { isUnfinished: false }).verdict, 'reserved');
    t.match(verdict('a.1', { isRecorded: true }), {
      ...{ verdict: 'taken', reason: 'it is the product of job 1 from notes.txt' },
    });
  },
);

t.test('path verdict: a path of another job is taken, unless that has ended and left no file', async (t) => {
  const other = { jobId: 2, executionId: 20 };
  const reasons: readonly (readonly [inputs: readonly string[], reason: string])[] = [
    [[], 'it is reserved by job 2, which has not ended'],
    [['a', 'b'], 'it is reserved by job 2 from a, b, which has not ended'],
    [['a', 'b', 'c'], 'it is reserved by job 2 from a, b and others, which has not ended'],
  ];
  for (const [inputs, reason] of reasons)
    t.match(verdict('', { ...other, inputs }), { verdict: 'taken', reason });
  t.equal(verdict('', { ...other, isUnfinished: false, isRecorded: true }).verdict, 'taken');
  const ended = { ...other, isUnfinished: false };
  t.equal(verdict('', ended).verdict, 'reserved', 'it failed, or its product was purged');
  t.equal(verdict('', ended, { otherFileId: 5 }).verdict, 'taken');
  t.match(verdict('a.1', ended), {
    verdict: 'taken',
    reason: 'job 2 from notes.txt, which has ended, left a file there',
  });
  t.match(verdict('x', ended), { verdict: 'taken', reason: 'there is a file that no job has stored' });
});

t.test('path verdict: an execution that has ended may remove only its own file', async (t) => {
  const over = { isRunning: false };
  t.match(verdict('a.1', {}, over), { verdict: 'over', isOwnFile: true });
  for (const [found, holder] of [
    ['', {}],
    ['b.1', {}],
    ['a.1', { executionId: 11 }],
    ['a.1', { isRecorded: true }],
    ['a.1', undefined],
  ] as const)
    t.match(verdict(found, holder, over), { verdict: 'over', isOwnFile: false }, `${found} of ${holder}`);
});

t.test('path verdict: requests that no agent sends are refused', async (t) => {
  const good = {
    ...{ executionId: 1, path: 'a/b', proof: '7.0.x', foundProof: '', size: 0, sha256: 'a'.repeat(64) },
    workspaceUuid: '11111111-2222-3333-4444-555555555555',
  };
  t.equal(pathRequestProblem(good), undefined);
  for (const [field, values] of Object.entries({
    executionId: [0, -1, 1.5, 2 ** 60],
    workspaceUuid: ['', "'", 'x'.repeat(36)],
    path: ['', '/a', '../a', 'a\0', 'a'.repeat(1_001)],
    proof: ['', 'a b', '\0', 'x'.repeat(201)],
    foundProof: ['a b', 'x'.repeat(201)],
    size: [-1, 0.5],
    sha256: ['', 'A'.repeat(64), 'a'.repeat(65)],
  }))
    for (const value of values)
      t.type(pathRequestProblem({ ...good, [field]: value }), 'string', `${field}: ${value}`);
});
