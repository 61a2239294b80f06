/** How the lineage of a file is shown. */
import t from 'tap';
import { lineageLines } from '../../src/cli/recipe-graph/lineage-lines.ts';

type Graph = Parameters<typeof lineageLines>[0];

t.test('lineage: a job is below all of its inputs, and its products below it', (t) => {
  const workspace = { name: 'place' };
  const jobType = { name: 'join', version: '1.0.0' };
  const file = (id: number, level: number) => ({ id, level, workspace, file_path: `f${id}` });
  const job = (id: number, level: number) => ({ id, level, job_type: jobType, status: 'COMPLETED' });
  const link = (role: 'input' | 'output', jobId: number, fileId: number) => ({
    ...{ role, name: 'X' },
    ...{ job: { id: jobId }, file: { id: fileId } },
  });
  const graph = {
    file: { id: 50 },
    files: [file(9, -1), file(900, -1), file(50, 0), file(3, 1), file(4, 1)],
    jobs: [job(5, -1), job(8, 1), job(7, 1)],
    links: [
      ...[link('input', 5, 9), link('input', 5, 900), link('output', 5, 50)],
      ...[link('input', 7, 50), link('output', 7, 4), link('input', 8, 50), link('output', 8, 3)],
      link('input', 6, 50),
    ],
  } as unknown as Graph;
  t.strictSame(lineageLines(graph), [
    'file 9  place:f9',
    'file 900  place:f900',
    '  job 5  join 1.0.0 COMPLETED',
    '    file 50  place:f50  <-',
    '      job 7  join 1.0.0 COMPLETED',
    '        file 4  place:f4',
    '      job 8  join 1.0.0 COMPLETED',
    '        file 3  place:f3',
  ]);
  t.end();
});
